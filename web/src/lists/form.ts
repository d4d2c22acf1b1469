// What was filled in to create a loop or a cycle, as the server wants it; what is wrong with it, by field. Pure.
import type { NewRun } from '../api/runs'
import type { Permissions } from '../api/types'
import type { Key } from '../i18n'

/** As the server sets it too. */
const TITLE_LENGTH = 100

export const PERMISSIONS: readonly Permissions[] = ['workspace', 'ask', 'read-only', 'all']
export const REQUIRE = ['all', 'no_new_failures'] as const
export const PROOF = ['mend', 'preserve', 'none'] as const

const NUMBERS = [
  'max_iterations',
  'max_minutes',
  'max_tokens',
  'max_cost',
  'min_coverage',
  'min_mutation_score',
  'min_diff_coverage',
] as const
export const FIELDS = [
  'title',
  'description',
  'agent',
  'model',
  'effort',
  'permissions',
  'test_command',
  'require',
  'proof',
  'roles',
  'parallel',
  'attempts',
  'agents',
  ...NUMBERS,
] as const

type FieldName = (typeof FIELDS)[number]
export type Errors = Partial<Record<FieldName, string>>

interface FormResult {
  body: NewRun
  errors: Partial<Record<FieldName, Key>>
}

/** The project's own settings hold where a field is left empty. */
export function readRunForm(form: FormData): FormResult {
  const errors: FormResult['errors'] = {}
  const description = fieldText(form, 'description')
  if (description === '') errors.description = 'create.task_missing'
  const body: NewRun = {
    title: fieldText(form, 'title') || firstWords(description),
    description,
    mode: fieldText(form, 'mode') === 'interactive' ? 'interactive' : 'auto',
  }
  const agent = fieldText(form, 'agent')
  const model = fieldText(form, 'model')
  const effort = fieldText(form, 'effort')
  const permissions = PERMISSIONS.find((name) => name === fieldText(form, 'permissions'))
  const require = REQUIRE.find((name) => name === fieldText(form, 'require'))
  const proof = PROOF.find((name) => name === fieldText(form, 'proof'))
  const tests = fieldText(form, 'test_command')
  if (agent) body.agent = agent
  if (model) body.model = model
  if (effort) body.effort = effort
  if (permissions) body.permissions = permissions
  if (require) body.require = require
  if (proof) body.proof = proof
  if (tests) body.test_command = tests
  if (form.get('allow_test_changes') !== null) body.allow_test_changes = true
  for (const name of NUMBERS) {
    const given = fieldText(form, name)
    const value = Number(given)
    if (given !== '' && Number.isFinite(value)) body[name] = value
    else if (given !== '') errors[name] = 'create.number'
  }
  return { body, errors }
}

/** The first line of the task, cut between words where it is long. */
export function firstWords(task: string): string {
  const line = task.split('\n', 1)[0]?.trim() ?? ''
  if (line.length <= TITLE_LENGTH) return line
  const cut = line.slice(0, TITLE_LENGTH - 1)
  return `${cut.slice(0, cut.lastIndexOf(' ') > 0 ? cut.lastIndexOf(' ') : cut.length)}…`
}

export function fieldText(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
