// What the navigation shows: one line for each kind of thing.
import type { Key } from '../i18n'
import { CYCLES_HREF, LOOPS_HREF, type Route, TUNINGS_HREF } from './router'

interface NavLine {
  words: Key
  href: string
  pages: readonly Route['page'][]
}

export const NAV: readonly NavLine[] = [
  { words: 'nav.loops', href: LOOPS_HREF, pages: ['loops', 'loop'] },
  { words: 'nav.cycles', href: CYCLES_HREF, pages: ['cycles', 'cycle'] },
  { words: 'nav.tunings', href: TUNINGS_HREF, pages: ['tunings', 'tuning'] },
]
