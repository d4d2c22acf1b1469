// What a loop's page reads beside the loop itself.
import type {
  AttemptView,
  CheckpointView,
  DiffAnswer,
  Hypothesis,
  PlanLine,
  ProgressFile,
  Step,
  TestResult,
  Validation,
} from '../api/details'
import type { Loop, RunView } from '../api/types'
import type { RunAddress } from '../app/address'
import type { SectionProps } from '../run/RunKind'
import type { Resource } from '../run/resource'
import { createPart, type RunResources } from '../run/resources'

export interface LoopParts {
  plan: Resource<PlanLine[]>
  timeline: Resource<Step[]>
  checkpoints: Resource<CheckpointView[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  tests: Resource<TestResult[]>
  hypotheses: Resource<Hypothesis[]>
  files: Resource<ProgressFile[]>
  attempts: Resource<AttemptView[]>
}

export type LoopResources = RunResources<Loop, LoopParts>
export type LoopView = RunView<Loop>
export type Section = SectionProps<Loop, LoopParts>

export function partsOf(address: RunAddress): LoopParts {
  return {
    plan: createPart(address, '/plan'),
    timeline: createPart(address, '/timeline'),
    checkpoints: createPart(address, '/checkpoints'),
    diff: createPart(address, '/diff'),
    history: createPart(address, '/history'),
    tests: createPart(address, '/tests'),
    hypotheses: createPart(address, '/hypotheses'),
    files: createPart(address, '/progress'),
    attempts: createPart(address, '/attempts'),
  }
}
