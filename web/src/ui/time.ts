// Points in time and lengths of it, in the language of the moment.
import { signal } from '@preact/signals'
import { locale } from '../i18n'

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** The present, in coarse steps, so that "two minutes ago" does not stay that for an hour. */
export const now = signal(Date.now())
window.setInterval(() => {
  now.value = Date.now()
}, 10_000)

/** "2 minutes ago"; a date where it is longer ago than a week. */
export function ago(at: string): string {
  const past = Date.parse(at) - Math.max(now.value, Date.parse(at))
  if (-past > 7 * 86_400_000) return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(Date.parse(at))
  const [unit, size] = STEPS.find(([, size]) => -past >= size) ?? ['second', 1000]
  // Seconds would have to be counted on the screen; "now" is true enough.
  const count = unit === 'second' ? 0 : Math.round(past / size)
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' }).format(count, unit)
}

/** The exact time, for a tooltip. */
export function exact(at: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium' }).format(Date.parse(at))
}

/** The time of day, for something that is near. */
export function clockTime(at: string): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(Date.parse(at))
}
