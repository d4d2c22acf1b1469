// What the endpoints of cycles take, and answer with (docs/http-api.md, "Cycles").
import type { Cycle } from './cycle.gen'
import type { NewRun } from './runs'
import type { BriefTests, Mode, Outcome, Pause } from './types'

export type {
  AgentState,
  Baseline,
  Blocker,
  Cycle,
  CycleEngine,
  Decision,
  FeedbackEntry,
  IterationRecord,
  Plan,
  PlanTask,
} from './cycle.gen'

export const ROLES = ['ra', 'ep', 'cd', 'vas'] as const
export type Role = (typeof ROLES)[number]
type CycleStatus = Cycle['status']
export type RoleStatus = 'idle' | 'running' | 'waiting' | 'completed' | 'failed'
export type PlanStatus = 'pending' | 'in_progress' | 'completed' | 'blocked'
type CycleNeeds = 'permission' | 'decision' | 'blocker' | 'resume'

export interface NewCycle extends NewRun {
  roles?: Partial<Record<Role, string>>
  parallel?: number
}

/** What a role is at. */
interface BriefStep {
  step: string
  task: string | null
  since: string
}

export interface BriefRole {
  role: Role
  agent: string
  status: RoleStatus
  steps: BriefStep[]
}

/** A cycle in a list and in the stream of all changes. */
export interface BriefCycle {
  cycle_id: string
  project: string
  title: string
  status: CycleStatus
  outcome: Outcome | null
  mode: Mode
  phase: Cycle['current_phase']
  current_iteration: number
  max_iterations: number
  roles: BriefRole[]
  tasks: { total: number; completed: number; blocked: number }
  tests: Pick<BriefTests, 'total' | 'failed' | 'pass_rate' | 'coverage' | 'at'> | null
  decisions: number
  blockers: number
  needs: CycleNeeds | null
  pause: Pause | null
  parked_until: string | null
  failure_reason: string | null
  rev: number
  created_at: string
  updated_at: string
  completed_at: string | null
}

/** A file that the roles wrote; a log has no version. */
export interface DocumentLine {
  name: string
  folder: string
  size: number
  modified_at: string
  version: string | null
  versions: string[]
}

export interface DocumentText {
  name: string
  version: string | null
  text: string
  truncated: boolean
}

/** A line of the discovery board. */
export interface Finding {
  ts: string
  agent: string
  type: string
  data: Record<string, unknown>
}

/** The address of a document, below a cycle's own. */
export function documentPath(name: string): string {
  return `/documents/${name.split('/').map(encodeURIComponent).join('/')}`
}
