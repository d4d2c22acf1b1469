// The endpoints that every kind of run has, one function each (docs/http-api.md).
import { get, request, send } from './client'
import type { Agent, Filter, FleetPlace, KindName, Mode, Page, Permissions, Project, RunView } from './types'

/** Where the server is asked about each kind. */
export const ROOTS: Readonly<Record<KindName, string>> = {
  loop: '/api/loops/v2',
  cycle: '/api/cycles',
  tuning: '/api/tunings',
}

/** What a loop, or a cycle, shall do, and how. */
export interface NewRun {
  title: string
  description: string
  mode: Mode
  agent?: string
  model?: string
  effort?: string
  permissions?: Permissions
  test_command?: string
  max_iterations?: number
  max_minutes?: number
  max_tokens?: number
  max_cost?: number
  require?: 'all' | 'no_new_failures'
  proof?: 'mend' | 'preserve' | 'none'
  min_coverage?: number
  min_mutation_score?: number
  min_diff_coverage?: number
  allow_test_changes?: boolean
}

/** What cannot be read, and why. */
export interface DamagedRun {
  id: string
  reason: string
}

export interface RunPage<Brief> {
  rows: (Brief & { id: string })[]
  total: number
  damaged: DamagedRun[]
  /** By id. */
  places: Readonly<Record<string, FleetPlace>>
}

export async function listRuns<Brief extends object>(
  kind: KindName,
  { status, search, project }: Filter,
  offset: number,
  limit: number,
): Promise<RunPage<Brief>> {
  const query = { status, search, project, offset, limit, view: 'brief' }
  const page = await request<Page<Brief, { reason: string }>>('GET', ROOTS[kind], { query })
  const damaged = page.damaged.map((one) => ({ id: idOf(kind, one), reason: one.reason }))
  return { rows: page.data.map((brief) => rowOf(kind, brief)), total: page.total, damaged, places: page.fleet ?? {} }
}

export function rowOf<Brief extends object>(kind: KindName, brief: Brief): Brief & { id: string } {
  return { ...brief, id: idOf(kind, brief) }
}

/** `loop_id`, `cycle_id` or `tuning_id`. */
export function idOf(kind: KindName, record: object): string {
  return String((record as Record<string, unknown>)[`${kind}_id`])
}

/** Answers with the id. */
export async function createRun(kind: KindName, body: object, project: string | undefined): Promise<string> {
  const created = await send<{ engine: object }>('POST', ROOTS[kind], { body, query: { project } })
  return kind === 'tuning' ? (created.engine as { id: string }).id : idOf(kind, created)
}

/** `path`: the address of the run. */
export async function readRun<State>(path: string): Promise<RunView<State>> {
  type Answer = { data: State; project: string; live?: boolean; fleet?: FleetPlace }
  const { data, project, live = false, fleet = null } = await request<Answer>('GET', path)
  return { run: data, project, live, fleet }
}

export function listProjects(): Promise<Project[]> {
  return get('/api/projects')
}

export function listAgents(project: string | undefined): Promise<Agent[]> {
  return get('/api/agents', { project })
}
