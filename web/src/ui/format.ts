// Points in time, lengths of it, amounts and sizes, the way people of the page's language write them.
import { signal } from '@preact/signals'
import { locale } from '../i18n'

const MINUTE = 60
const HOUR = 3600

/** Seconds as `40 ms`, `4.2 s`, `12 s`, `3 min 05 s`, `10 min`, `2 h 04 min`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.95) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 10) return `${number(seconds, 1)} s`
  const whole = Math.round(seconds)
  if (whole < MINUTE) return `${whole} s`
  if (whole < HOUR) return pair(Math.floor(whole / MINUTE), 'min', whole % MINUTE, 's')
  return pair(Math.floor(whole / HOUR), 'h', Math.floor((whole % HOUR) / MINUTE), 'min')
}

export function number(value: number, digits = 0): string {
  return value.toLocaleString(locale(), { maximumFractionDigits: digits })
}

export function percent(value: number): string {
  return `${number(value, 1)} %`
}

export function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  return size < 1024 * 1024 ? `${number(size / 1024, 1)} KB` : `${number(size / 1024 / 1024, 1)} MB`
}

/** `11:45:08`. */
export function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString(locale(), { hour12: false })
}

/** With the day, where it is not today. */
export function moment(iso: string, now = new Date()): string {
  const then = new Date(iso)
  if (then.toDateString() === now.toDateString()) return clock(iso)
  return then.toLocaleString(locale(), {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(then.getFullYear() !== now.getFullYear() && { year: 'numeric' as const }),
  })
}

function pair(large: number, unit: string, small: number, smallUnit: string): string {
  return small ? `${large} ${unit} ${String(small).padStart(2, '0')} ${smallUnit}` : `${large} ${unit}`
}

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
