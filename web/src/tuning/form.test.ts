import { describe, expect, it } from 'vitest'
import { readTuningForm } from './form'

function form(fields: Record<string, string | string[]>): FormData {
  const data = new FormData()
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) data.append(name, value)
  return data
}

const ALL = ['context', 'memory', 'dataflow', 'agent']

describe('what was filled in', () => {
  it('is sent without what the server does by itself', () => {
    expect(
      readTuningForm(form({ path: ' skills/a ', fix: 'none', dimensions: ALL, description: '', choose: 'on' })).body,
    ).toEqual({
      path: 'skills/a',
      fix: 'none',
      choose: false,
    })
  })

  it('names the agent that is asked, whatever shall be mended', () => {
    const fields = { path: 'a', dimensions: ['agent', 'context'], agent: 'codex', choose: 'on', max_iterations: '3' }
    expect(readTuningForm(form({ ...fields, fix: 'all' })).body).toEqual({
      path: 'a',
      fix: 'all',
      agent: 'codex',
      choose: true,
      dimensions: ['context', 'agent'],
      max_iterations: 3,
    })
    expect(readTuningForm(form({ ...fields, fix: 'none' })).body).toMatchObject({ agent: 'codex', fix: 'none' })
    expect(readTuningForm(form({ ...fields, agent: '' })).body).not.toHaveProperty('agent')
  })

  it.each([
    [{ path: ' ' }, { path: 'create.path_missing' }],
    [{ path: 'a', fix: 'all' }, { agent: 'create.agent_missing' }],
    [{ path: 'a', fix: 'mechanical', max_iterations: 'two' }, { max_iterations: 'create.number' }],
  ])('is refused: %j', (fields, errors) => {
    expect(readTuningForm(form(fields)).errors).toEqual(errors)
  })
})
