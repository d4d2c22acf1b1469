// Words for people, in the language they picked. A key that one language lacks does not compile.
import { signal } from '@preact/signals'
import { en } from './en'
import { zh } from './zh'

export type Language = 'en' | 'zh'

/** Each language in its own words, for the picker. */
export const LANGUAGES: Record<Language, string> = { en: 'English', zh: '中文' }

const KEPT = 'loopwright.language'

function preferredLanguage(): Language {
  const kept = localStorage.getItem(KEPT)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export const language = signal<Language>(preferredLanguage())

export function setLanguage(wanted: Language): void {
  localStorage.setItem(KEPT, wanted)
  language.value = wanted
}

type Params = Record<string, string | number>
export type Translate<Key> = (key: Key, params?: Params) => string

/**
 * A function that says `key` in the language of the moment. Each area of the page may bring words of its own.
 * `{name}` is filled in; `one|many` chooses by the parameter `n`.
 */
export function translator<Words extends Record<string, string>>(
  english: Words,
  chinese: Record<keyof Words, string>,
): Translate<keyof Words> {
  return (key, params = {}) => {
    const words: string = (language.value === 'zh' ? chinese : english)[key]
    return fillParams(choosePlural(words, params.n), params)
  }
}

/** Words of the server: in the person's language where they are known here, else as they stand. */
export function translatorOfKnown<Words extends Record<string, string>>(english: Words, t: Translate<keyof Words>) {
  return (key: string, words: string): string => (key in english ? t(key) : words)
}

function choosePlural(words: string, n: string | number | undefined): string {
  const [one, many] = words.split('|')
  return many === undefined || n === undefined ? words : String(n) === '1' ? (one ?? words) : many
}

function fillParams(words: string, params: Params): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}

export const t = translator(en, zh)
export type Key = keyof typeof en

/** For the formats of dates and numbers. */
export function locale(): string {
  return language.value === 'zh' ? 'zh-CN' : 'en-GB'
}
