// The edits that pass the same tests as a patch, as the state tells of them. Pure.
import type { Comparison, Rival } from '../api/cycle.gen'
import type { Hypothesis } from '../api/details'

export type { Comparison, Rival }

export interface Patch {
  place: string
  description: string
  comparison: Comparison
}

/** What tells a rival from the patch: a call, and what comes of it with each. */
interface Difference {
  call: string
  patch: string
  rival: string
}

/** The patch that stands for a hypothesis, where it is known how it compares with others. */
export function patchOf({ logging_point, status, evidence }: Hypothesis): Patch | null {
  const { comparison, edit, after, validated } = evidence ?? {}
  const isRefuted = status === 'inconclusive' && validated === false
  if (!after || isRefuted || typeof edit !== 'string' || !isComparison(comparison)) return null
  return { place: logging_point, description: edit, comparison }
}

export function patchesOf(hypotheses: readonly Hypothesis[]): Patch[] {
  return hypotheses.map(patchOf).filter((patch) => patch !== null)
}

export function differenceOf(comparison: Comparison, rival: Rival): Difference | null {
  for (const [call, patch] of Object.entries(comparison.gives ?? {})) {
    const other = rival.gives?.[call]
    if (other !== undefined && other !== patch) return { call, patch, rival: other }
  }
  return null
}

export type Standing = 'only' | 'alike' | 'alike_some' | 'plausible_uncompared' | 'plausible'

/** What the tests say of the patch. */
export function standingOf({ passing, compared = 0, differing = 0 }: Comparison): Standing {
  if (passing === 1) return 'only'
  if (compared === 0) return 'plausible_uncompared'
  if (differing > 0) return 'plausible'
  return compared === passing - 1 ? 'alike' : 'alike_some'
}

function isComparison(value: unknown): value is Comparison {
  const { rivals, gives } = (value ?? {}) as Partial<Comparison>
  return Array.isArray(rivals) && typeof gives === 'object'
}
