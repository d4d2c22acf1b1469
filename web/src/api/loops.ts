// The endpoints of loops and tasks, one function each (docs/http-api.md).
import { ask, get, send } from './client'
import type {
  Agent,
  BoardTask,
  Filter,
  Loop,
  LoopsPage,
  Mode,
  Permissions,
  Project,
  Ref,
  Status,
  TaskMode,
} from './types'

const LOOPS = '/api/loops/v2'

/** What a loop, or a cycle, shall do, and how. */
export interface NewRun {
  title: string
  description: string
  mode: Mode
  agent?: string
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

export interface Limits {
  max_iterations?: number
  max_minutes?: number
  max_tokens?: number
  max_cost?: number
}

export interface NewTask {
  description: string
  tool: string
  mode: TaskMode
  prompt_template: string
  command?: string
  on_error?: 'continue' | 'pause' | 'fail_fast'
}

export async function listLoops(
  { status, search, project }: Filter<Status>,
  offset: number,
  limit: number,
): Promise<LoopsPage> {
  const query = { status, search, project, offset, limit, view: 'brief' }
  return (await ask<LoopsPage>('GET', LOOPS, { query })).body
}

export function createLoop(body: NewRun, project: string | undefined): Promise<Loop> {
  return send('POST', LOOPS, { body, query: { project } })
}

export function addTask({ id, project }: Ref, body: NewTask): Promise<BoardTask> {
  return send('POST', `${loopPath(id)}/tasks`, { body, query: { project } })
}

export function editTask(at: Ref, taskId: string, body: Partial<NewTask>): Promise<BoardTask> {
  return send('PUT', taskPath(taskId), { body: { loop_id: at.id, ...body }, query: { project: at.project } })
}

export function removeTask(at: Ref, taskId: string): Promise<unknown> {
  return send('DELETE', taskPath(taskId), { query: { loop_id: at.id, project: at.project } })
}

export function reorderTasks({ id, project }: Ref, ordered_task_ids: readonly string[]): Promise<BoardTask[]> {
  return send('PUT', `${loopPath(id)}/tasks/reorder`, { body: { ordered_task_ids }, query: { project } })
}

export function importTasks({ id, project }: Ref, issue_id: string): Promise<BoardTask[]> {
  return send('POST', `${loopPath(id)}/import`, { body: { issue_id }, query: { project } })
}

export function generateTasks(
  { id, project }: Ref,
  body: { count: number; tool?: string },
  signal: AbortSignal,
): Promise<BoardTask[]> {
  return send('POST', `${loopPath(id)}/generate`, { body, query: { project }, signal })
}

export function listProjects(): Promise<Project[]> {
  return get('/api/projects')
}

export function listAgents(project: string | undefined): Promise<Agent[]> {
  return get('/api/agents', { project })
}

export function loopPath(id: string): string {
  return `${LOOPS}/${encodeURIComponent(id)}`
}

function taskPath(id: string): string {
  return `${LOOPS}/tasks/${encodeURIComponent(id)}`
}
