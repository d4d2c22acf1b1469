// For how long something has been so.
import { duration, now } from '../ui/format'

/** Since a point in time; of more than a minute the seconds do not matter. */
export function elapsed(since: string): string {
  const seconds = Math.max(0, Math.round((now.value - Date.parse(since)) / 1000))
  return duration(seconds < 60 ? seconds : 60 * Math.floor(seconds / 60))
}
