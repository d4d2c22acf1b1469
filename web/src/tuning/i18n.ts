// The words of a tuning session's pages.
import { translator } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)

/** In the person's language where the word is known here; else as it stands. */
export function said(key: string, words: string): string {
  return key in en ? t(key as Key) : words
}
