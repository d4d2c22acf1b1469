import { describe, expect, it } from 'vitest'
import { en as cycleEn } from '../cycle/i18n.en'
import { zh as cycleZh } from '../cycle/i18n.zh'
import { en as fleetEn } from '../fleet/i18n.en'
import { zh as fleetZh } from '../fleet/i18n.zh'
import { en as loopEn } from '../loop/i18n.en'
import { zh as loopZh } from '../loop/i18n.zh'
import { en as runEn } from '../run/i18n.en'
import { zh as runZh } from '../run/i18n.zh'
import { en as tuningEn } from '../tuning/i18n.en'
import { zh as tuningZh } from '../tuning/i18n.zh'
import { en } from './en'
import { zh } from './zh'

type Words = Readonly<Record<string, string>>

const AREAS: readonly (readonly [string, Words, Words])[] = [
  ['everywhere', en, zh],
  ['of every run', runEn, runZh],
  ['of loops', loopEn, loopZh],
  ['of cycles', cycleEn, cycleZh],
  ['of tuning sessions', tuningEn, tuningZh],
  ['of the fleet', fleetEn, fleetZh],
]
const names = (words = '') => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

describe.each(AREAS)('words %s', (_, english, chinese) => {
  it.each(Object.keys(english))('%s is said in both languages, with the same values', (key) => {
    expect(chinese[key]?.trim()).toBeTruthy()
    expect(new Set(names(chinese[key]))).toEqual(new Set(names(english[key])))
  })
})
