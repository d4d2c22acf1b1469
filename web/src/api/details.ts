// What the endpoints for a closer look answer with (docs/http-api.md, "Looking closer").
import type { Hypothesis, Outcome, Status, TestResult } from './types'

export interface PlanLine {
  content: string
  status: 'pending' | 'in_progress' | 'completed'
  depth: number
}

export interface ChangedFile {
  file: string
  action: string
}

/** One action from its start to its end; what is still under way has no end. */
export interface Step {
  seq: number
  iteration: number
  action: string
  task: string | null
  started_at: string
  ended_at: string | null
  result: string | null
  reasons: string[]
  files: ChangedFile[]
  tokens: number | null
  cost: number | null
  checkpoint: number | null
}

export interface CheckpointView {
  n: number
  action: string
  at: string
  files: ChangedFile[]
}

export interface DiffAnswer {
  diff: string
  truncated: boolean
}

/** One validation; null is what was not counted then, or not measured. */
export interface Validation {
  seq: number
  at: string
  iteration: number
  passed: boolean
  total: number | null
  failed: number | null
  skipped: number | null
  pass_rate: number | null
  coverage: number | null
  reasons: string[]
}

export interface ProgressFile {
  name: string
  size: number
  modified_at: string
}

export interface FileText {
  name: string
  text: string
  truncated: boolean
}

/** One of several attempts at a goal. `mutation_score` in percent; `changed_lines`: added and removed. */
export interface AttemptView {
  number: number
  loop_id: string
  agent: string
  status: Status
  outcome: Outcome | null
  reason: string | null
  mutation_score: number | null
  changed_lines: number
  chosen: boolean
}

export type { Hypothesis, TestResult }
