// The words of the fleet's page, and of where a run is in the fleet.
import { translator } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)
