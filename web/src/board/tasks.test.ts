import { expect, it } from 'vitest'
import { cardsOf, moveCard } from './tasks'

function loop(tasks: readonly string[], progress: Record<string, string> = {}, retry: readonly string[] = []) {
  const develop = Object.entries(progress).map(([id, status]) => ({ id, status, description: id, files_changed: [] }))
  return {
    engine: { retry, tasks: tasks.map((task_id, order) => ({ task_id, order, description: task_id })) },
    skill_state: { develop: { tasks: develop } },
  } as never
}

it('a card has the status of its progress; one that is tried again is pending', () => {
  const found = cardsOf(loop(['a', 'b', 'c'], { a: 'completed', b: 'failed', x: 'in_progress' }, ['b']))
  expect(found.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'a completed',
    'b pending',
    'c pending',
    'x in_progress',
  ])
  expect(found.at(-1)?.task).toBeNull()
})

it('a new order names every task once, and moves only what is pending', () => {
  const all = cardsOf(loop(['a', 'b', 'c', 'd'], { b: 'completed', x: 'failed' }))
  expect(moveCard(all, 2, 0)).toEqual(['d', 'b', 'a', 'c'])
  expect(moveCard(all, 0, 1)).toEqual(['c', 'b', 'a', 'd'])
  expect(moveCard(all, 1, 1)).toEqual(['a', 'b', 'c', 'd'])
})

it('an order that the server does not know yet is shown', () => {
  expect(cardsOf(loop(['a', 'b', 'c']), ['c', 'a', 'b']).map(({ id }) => id)).toEqual(['c', 'a', 'b'])
})
