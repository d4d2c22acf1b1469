// Words of agents and of the engine.
import { useMemo } from 'preact/hooks'
import { safeHtml } from './markdown'

/** Words with code between back ticks; everything else as it stands. */
export function Ticked({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>
}

/** Markdown of an agent, made safe. */
export function Prose({ text }: { text: string }) {
  const html = useMemo(() => ({ __html: safeHtml(text) }), [text])
  return <div class="prose" dangerouslySetInnerHTML={html} />
}
