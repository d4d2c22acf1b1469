// What a cycle's page reads beside the cycle itself.
import type { Cycle, DocumentLine, Finding } from '../api/cycles'
import type { DiffAnswer, Step, Validation } from '../api/details'
import type { RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import type { SectionProps } from '../run/RunKind'
import type { Resource } from '../run/resource'
import { createPart, type RunResources } from '../run/resources'
import { isStateOnly } from '../run/stale'

/** `role`: whose step it is; null for the engine's own. */
export type RoleStep = Step & { role: string | null }

export interface CycleParts {
  timeline: Resource<RoleStep[]>
  documents: Resource<DocumentLine[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  discoveries: Resource<Finding[]>
}

export type CycleResources = RunResources<Cycle, CycleParts>
export type CycleView = RunView<Cycle>
export type Section = SectionProps<Cycle, CycleParts>

export function partsOf(address: RunAddress): CycleParts {
  return {
    timeline: createPart(address, '/timeline'),
    documents: createPart(address, '/documents'),
    diff: createPart(address, '/diff'),
    history: createPart(address, '/history'),
    discoveries: createPart(address, '/discoveries'),
  }
}

/** What is not known to change only the state makes everything old. */
export function partsAfter(type: string): readonly (keyof CycleParts)[] | null {
  return isStateOnly(type) ? [] : null
}
