// What the server answers with. The loop's own fields come from its schema (state.gen.ts); the rest is written here.
import type { Loop } from './state.gen'

export type {
  Budget,
  Checkpoint,
  DevelopTask,
  EngineState,
  Hypothesis,
  Loop,
  LoopTask,
  Menu,
  PermissionRequest,
  PersonMessage,
  Proof,
  SkillState,
  Survivor,
  TestResult,
  Waiting,
} from './state.gen'

export type Status = Loop['status']
export type Outcome = NonNullable<Loop['engine']['outcome']>
export type Mode = Loop['engine']['settings']['mode']
export type Permissions = Loop['engine']['settings']['permissions']
export type TaskMode = 'analysis' | 'write' | 'review'
export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'failed'
export type Running = 'init' | 'develop' | 'debug' | 'validate' | 'review' | 'complete'
type Needs = 'answer' | 'permission' | 'choice' | 'resume'

export type KindName = 'loop' | 'cycle' | 'tuning'

/** Which run it is: `project` only matters where several are open. */
export interface Ref {
  id: string
  project?: string | undefined
}

/** How a run is in the fleet. `before`: how many are queued for its account ahead of it; `trouble`: why it was not driven. */
export interface FleetPlace {
  status: 'queued' | 'running' | 'resting' | 'finished'
  holder: string | null
  before: number
  account: string
  user: string
  trouble: string
}

/** One run, as the server answers with it. `fleet`: how it is there, where other machines drive it. */
export interface RunView<State> {
  run: State
  project: string
  live: boolean
  fleet: FleetPlace | null
}

export interface BriefTests {
  total: number
  passed: number
  failed: number
  skipped: number
  pass_rate: number
  coverage: number | null
  at: string
}

/** Why it is paused: see core/pause.py. */
export type Pause = 'question' | 'settling' | 'limit' | 'task' | 'request'

/** A loop in a list and in the stream of all loops. */
export interface BriefLoop {
  loop_id: string
  project: string
  title: string
  status: Status
  outcome: Outcome | null
  mode: Mode
  agent: string
  action: Running | null
  current_iteration: number
  max_iterations: number
  tasks: { total: number; completed: number; failed: number }
  tests: BriefTests | null
  needs: Needs | null
  pause: Pause | null
  parked_until: string | null
  priority?: 'low' | 'medium' | 'high' | null
  tags?: string[] | null
  failure_reason: string | null
  /** Which of several attempts it is. */
  attempt?: { number: number; of: number; chosen: boolean }
  rev: number
  created_at: string
  updated_at: string
  completed_at: string | null
}

/** What narrows a list. */
export interface Filter {
  status: string
  search: string
  project: string | undefined
}

export interface Page<Brief, Damaged> {
  data: Brief[]
  total: number
  damaged: Damaged[]
  /** Of those that other machines drive, by id. */
  fleet?: Record<string, FleetPlace>
}

/** One committed change, as the journal has it. `words` says it for people. */
export interface Entry {
  seq: number
  ts: string
  actor: string
  type: string
  data: Record<string, unknown>
  words: string
}

/** `fleet`: the first project that names the same fleet as this one, where that names any. */
export interface Project {
  name: string
  path: string
  fleet: string | null
}

/** An agent as the project knows it; `problem` says why it cannot be used. */
export interface Agent {
  name: string
  available: boolean
  problem: string | null
}

/** A task of the board: what shall be done, and how far it is. */
export interface BoardTask {
  task_id: string
  description: string
  tool: string
  mode: TaskMode
  prompt_template: string
  order: number
  status: TaskStatus
  created_at: string
  updated_at: string
  command?: string | null
  on_error?: 'continue' | 'pause' | 'fail_fast' | null
  depends_on?: string[] | null
}
