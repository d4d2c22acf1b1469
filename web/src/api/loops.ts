// The endpoints of loops and tasks, one function each (docs/http-api.md).
import { ask, get, send } from './client'
import type {
  Agent,
  BoardTask,
  Loop,
  LoopRef,
  LoopsPage,
  LoopView,
  Mode,
  Permissions,
  Project,
  Status,
  TaskMode,
} from './types'

const LOOPS = '/api/loops/v2'

export interface Filter {
  status: Status | 'all'
  search: string
  project: string | undefined
}

export interface NewLoop {
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
  min_coverage?: number
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
  { status, search, project }: Filter,
  offset: number,
  limit: number,
): Promise<LoopsPage> {
  const query = { status, search, project, offset, limit, view: 'brief' }
  return (await ask<LoopsPage>('GET', LOOPS, { query })).body
}

export async function readLoop({ id, project }: LoopRef): Promise<LoopView> {
  const asked = await ask<{ data: Loop; project: string; live: boolean }>('GET', loopPath(id), { query: { project } })
  return { loop: asked.body.data, project: asked.body.project, live: asked.body.live, etag: asked.etag }
}

export function createLoop(body: NewLoop, project: string | undefined): Promise<Loop> {
  return send('POST', LOOPS, { body, query: { project } })
}

export type Command = 'start' | 'pause' | 'resume' | 'stop' | 'reopen' | 'answer' | 'choose' | 'approve' | 'recover'

/** A command, and what it takes. */
export function command(at: LoopRef, name: Command, body: Record<string, unknown> = {}): Promise<unknown> {
  return send('POST', `${loopPath(at.id)}/${name}`, { body, query: { project: at.project } })
}

export function deleteLoop({ id, project }: LoopRef): Promise<unknown> {
  return send('DELETE', loopPath(id), { query: { project } })
}

export function addTask({ id, project }: LoopRef, body: NewTask): Promise<BoardTask> {
  return send('POST', `${loopPath(id)}/tasks`, { body, query: { project } })
}

export function editTask(at: LoopRef, taskId: string, body: Partial<NewTask>): Promise<BoardTask> {
  return send('PUT', taskPath(taskId), { body: { loop_id: at.id, ...body }, query: { project: at.project } })
}

export function removeTask(at: LoopRef, taskId: string): Promise<unknown> {
  return send('DELETE', taskPath(taskId), { query: { loop_id: at.id, project: at.project } })
}

export function reorderTasks({ id, project }: LoopRef, ordered_task_ids: readonly string[]): Promise<BoardTask[]> {
  return send('PUT', `${loopPath(id)}/tasks/reorder`, { body: { ordered_task_ids }, query: { project } })
}

export function importTasks({ id, project }: LoopRef, issue_id: string): Promise<BoardTask[]> {
  return send('POST', `${loopPath(id)}/import`, { body: { issue_id }, query: { project } })
}

export function generateTasks(
  { id, project }: LoopRef,
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
