// The words of one loop's page.
import { translator } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)
