// Where a run is that other machines drive, in words.
import type { FleetPlace } from '../api/types'
import { t } from './i18n'

/** For its row in a list: where, for whom, and what is in the way. */
export function placeWords({ status, holder, before, account, user, trouble }: FleetPlace): string[] {
  const where = t(`place.${status}`, { n: before + 1, holder: holder ?? '', account })
  return [where, user, trouble].filter(Boolean)
}

/** Its machine, or why it has none. */
export function standsWhere(place: FleetPlace): string {
  return place.holder ?? placeWords(place)[0] ?? ''
}
