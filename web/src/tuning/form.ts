// What was filled in for a new tuning session, as the server wants it; what is wrong with it, by field. Pure.
import { DIMENSIONS, type NewTuning } from '../api/tunings'
import { fieldText } from '../lists/form'
import type { Key } from './i18n'

export const FIXING = ['none', 'mechanical', 'all'] as const
export type Fixing = (typeof FIXING)[number]

interface FormResult {
  body: NewTuning
  errors: Partial<Record<'path' | 'agent' | 'max_iterations', Key>>
}

export function readTuningForm(form: FormData): FormResult {
  const errors: FormResult['errors'] = {}
  const fixing = FIXING.find((name) => name === fieldText(form, 'fix')) ?? 'none'
  const chosen = form.getAll('dimensions')
  const dimensions = DIMENSIONS.filter((name) => chosen.includes(name))
  const iterations = fieldText(form, 'max_iterations')
  const body: NewTuning = {
    path: fieldText(form, 'path'),
    fix: fixing,
    choose: fixing !== 'none' && form.get('choose') !== null,
  }
  if (body.path === '') errors.path = 'create.path_missing'
  const description = fieldText(form, 'description')
  if (description) body.description = description
  if (dimensions.length > 0 && dimensions.length < DIMENSIONS.length) body.dimensions = dimensions
  const agent = fieldText(form, 'agent')
  if (agent) body.agent = agent
  else if (fixing === 'all') errors.agent = 'create.agent_missing'
  if (iterations !== '' && Number.isInteger(Number(iterations))) body.max_iterations = Number(iterations)
  else if (iterations !== '') errors.max_iterations = 'create.number'
  return { body, errors }
}
