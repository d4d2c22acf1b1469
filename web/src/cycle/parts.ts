// What a cycle's page reads beside the cycle itself.
import type { Cycle, DocumentLine, Finding } from '../api/cycles'
import type { RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import type { SectionProps } from '../run/RunKind'
import type { Resource } from '../run/resource'
import { partAt, type RunResources } from '../run/resources'
import type { DiffAnswer, Step, Validation } from '../run/shapes'
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
    timeline: partAt(address, '/timeline'),
    documents: partAt(address, '/documents'),
    diff: partAt(address, '/diff'),
    history: partAt(address, '/history'),
    discoveries: partAt(address, '/discoveries'),
  }
}

/** What is not known to change only the state makes everything old. */
export function partsAfter(type: string): readonly (keyof CycleParts)[] | null {
  return isStateOnly(type) ? [] : null
}
