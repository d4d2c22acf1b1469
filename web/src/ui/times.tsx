// Points in time, marked up as such.
import { ago, exact, moment } from './format'

/** How long ago; the exact time on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time datetime={at} title={exact(at)}>
      {ago(at)}
    </time>
  )
}

/** The time of day, with the day where it is not today. */
export function Moment({ at, class: look }: { at: string; class?: string }) {
  return (
    <time class={look} dateTime={at}>
      {moment(at)}
    </time>
  )
}
