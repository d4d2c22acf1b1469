// The words of loops' pages.
import { translator } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export const t = translator(en, zh)
