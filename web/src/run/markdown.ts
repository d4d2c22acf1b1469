// Words of agents as HTML that can do no harm: no script, no style, no picture, no form, and links that tell nobody
// where the reader comes from.
import DOMPurify from 'dompurify'
import { Marked } from 'marked'

// biome-ignore format: a list of words
const TAGS = [
  'a', 'blockquote', 'br', 'code', 'del', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre',
  'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
]
const ATTRIBUTES = ['href', 'title', 'start']
const LINKS = /^(?:https?:|mailto:)/i
/** Longer text is shown as it stands: nobody reads it as prose, and it must not hold up the page. */
const LONGEST = 200_000
const BELOW = 2

/** HTML in the text is text, not HTML; its headings stand below those of the page. */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + BELOW)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
    },
    image: ({ text, href }) => escaped(text || href),
  },
})

const purify = DOMPurify(window)

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  if (!node.hasAttribute('href')) return
  node.setAttribute('rel', 'noopener noreferrer nofollow')
  node.setAttribute('target', '_blank')
})

export function safeHtml(markdown: string): string {
  if (markdown.length > LONGEST) return `<pre>${escaped(markdown)}</pre>`
  return purify.sanitize(marked.parse(markdown, { async: false }), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: LINKS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter)
}
