// Markdown of an agent, made safe.
import { useMemo } from 'preact/hooks'
import { safeHtml } from './markdown'

export function Prose({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: safeHtml(text) }), [text])
  return <div class="prose" dangerouslySetInnerHTML={html} />
}
