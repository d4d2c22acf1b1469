// All kinds of runs.
import type { KindName } from '../api/types'
import { cycle } from './cycle'
import { kindOf } from './kind'
import { loop } from './loop'
import { tuning } from './tuning'

export const KINDS = { loop: kindOf(loop), cycle: kindOf(cycle), tuning: kindOf(tuning) } satisfies Record<
  KindName,
  unknown
>
