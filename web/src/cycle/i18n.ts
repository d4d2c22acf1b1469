// The words of a cycle's pages.
import type { Role } from '../api/cycles'
import { translator, translatorOfKnown } from '../i18n'
import { en } from './i18n.en'
import { zh } from './i18n.zh'

export type Key = keyof typeof en
export const t = translator(en, zh)

export function roleTitle(role: Role): string {
  return t(`role.${role}`)
}

const known = translatorOfKnown(en, t)

export function statusWords(status: string): string {
  return known(`status.${status}`, status)
}

export function stepWords(step: string): string {
  return known(`step.${step}`, step)
}

export function resultWords(status: string): string {
  return known(`result.${status}`, status)
}

export function typeWords(type: string): string {
  return known(`type.${type}`, type.replaceAll('_', ' '))
}

/** A role, the user or the engine, as a source or target of feedback. */
export function partyWords(name: string): string {
  return known(`party.${name}`, known(`role.${name}`, name))
}
