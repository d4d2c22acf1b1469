// The words of a cycle's pages.
import type { Role } from '../api/cycles'
import { translator } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)

export function roleTitle(role: Role): string {
  return t(`role.${role}`)
}

/** In the person's language where the word is known here; else as it stands. */
function said(key: string, words: string): string {
  return key in en ? t(key as Key) : words
}

export function statusWords(status: string): string {
  return said(`status.${status}`, status)
}

export function stepWords(step: string): string {
  return said(`step.${step}`, step)
}

export function resultWords(status: string): string {
  return said(`result.${status}`, status)
}

export function typeWords(type: string): string {
  return said(`type.${type}`, type.replaceAll('_', ' '))
}

/** A role, the user or the engine, as a source or target of feedback. */
export function partyWords(name: string): string {
  return said(`party.${name}`, said(`role.${name}`, name))
}
