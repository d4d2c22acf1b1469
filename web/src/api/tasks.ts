// The endpoints of a loop's tasks, one function each (docs/http-api.md).
import { send } from './client'
import { ROOTS } from './runs'
import type { BoardTask, Ref, TaskMode } from './types'

export interface NewTask {
  description: string
  tool: string
  mode: TaskMode
  prompt_template: string
  command?: string
  on_error?: 'continue' | 'pause' | 'fail_fast'
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

function loopPath(id: string): string {
  return `${ROOTS.loop}/${encodeURIComponent(id)}`
}

function taskPath(id: string): string {
  return `${ROOTS.loop}/tasks/${encodeURIComponent(id)}`
}
