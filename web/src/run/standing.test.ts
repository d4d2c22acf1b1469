import { describe, expect, it } from 'vitest'
import { pauseOf } from './standing'

describe('why a run is paused', () => {
  it.each([
    [{ waiting: {} }, 'question'],
    [{ waiting: { by_resuming: true } }, 'settling'],
    [{ parked: {} }, 'limit'],
    [{ retry: ['task-1'] }, 'task'],
    [{ retry: [] }, 'request'],
    [{}, 'request'],
  ] as const)('%j: %s', (engine, pause) => {
    expect(pauseOf({ status: 'paused', engine })).toBe(pause)
    expect(pauseOf({ status: 'running', engine })).toBeNull()
  })
})
