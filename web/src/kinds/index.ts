// All kinds of runs.
import type { KindName } from '../api/types'
import { cycle } from './cycle'
import { type Kind, kindOf } from './kind'
import { loop } from './loop'
import { tuning } from './tuning'

export const KINDS: Readonly<Record<KindName, Kind>> = {
  loop: kindOf(loop),
  cycle: kindOf(cycle),
  tuning: kindOf(tuning),
}
