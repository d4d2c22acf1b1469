import { ago, exact } from './format'

/** How long ago; the exact time on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time datetime={at} title={exact(at)}>
      {ago(at)}
    </time>
  )
}
