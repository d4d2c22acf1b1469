// The words of a tuning session's pages.
import { translator, translatorOfKnown } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)

export const knownWords = translatorOfKnown(en, t)
