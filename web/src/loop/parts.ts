// What a loop's page reads beside the loop itself.
import type { Loop, RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import type { SectionProps } from '../run/RunKind'
import type { Resource } from '../run/resource'
import { partAt, type RunResources } from '../run/resources'
import type {
  CheckpointView,
  DiffAnswer,
  Hypothesis,
  PlanLine,
  ProgressFile,
  Step,
  TestResult,
  Validation,
} from '../run/shapes'

export interface LoopParts {
  plan: Resource<PlanLine[]>
  timeline: Resource<Step[]>
  checkpoints: Resource<CheckpointView[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  tests: Resource<TestResult[]>
  hypotheses: Resource<Hypothesis[]>
  files: Resource<ProgressFile[]>
}

export type LoopResources = RunResources<Loop, LoopParts>
export type LoopView = RunView<Loop>
export type Section = SectionProps<Loop, LoopParts>

export function partsOf(address: RunAddress): LoopParts {
  return {
    plan: partAt(address, '/plan'),
    timeline: partAt(address, '/timeline'),
    checkpoints: partAt(address, '/checkpoints'),
    diff: partAt(address, '/diff'),
    history: partAt(address, '/history'),
    tests: partAt(address, '/tests'),
    hypotheses: partAt(address, '/hypotheses'),
    files: partAt(address, '/progress'),
  }
}
