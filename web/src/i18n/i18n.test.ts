import { expect, it } from 'vitest'
import { en } from './en'
import { zh } from './zh'

const names = (words: string) => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

it.each(Object.keys(en) as (keyof typeof en)[])('%s is said in both languages, with the same values', (key) => {
  expect(zh[key].trim()).not.toBe('')
  expect(new Set(names(zh[key]))).toEqual(new Set(names(en[key])))
})
