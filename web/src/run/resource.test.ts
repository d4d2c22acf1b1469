import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Problem } from '../api/client'
import { createResource } from './resource'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A server that answers when it is told to. */
function slow() {
  const open: { done: (value: number) => void; fail: (problem: Problem) => void }[] = []
  const read = vi.fn(() => new Promise<number>((done, fail) => open.push({ done, fail })))
  const settle = async (act: (one: (typeof open)[number]) => void) => {
    const one = open.shift()
    if (one) act(one)
    await vi.advanceTimersByTimeAsync(0)
  }
  return { read, settle }
}

test('nothing is read while nobody looks', () => {
  const { read } = slow()
  const held = createResource(read)
  held.touch()
  expect(read).not.toHaveBeenCalled()
  held.hold()
  expect(read).toHaveBeenCalledOnce()
})

test('never two at once; a burst of changes is one more request', async () => {
  const { read, settle } = slow()
  const held = createResource(read)
  held.hold()
  for (let n = 0; n < 100; n++) held.touch()
  expect(read).toHaveBeenCalledOnce()
  await settle(({ done }) => done(1))
  for (let n = 0; n < 100; n++) held.touch()
  await vi.advanceTimersByTimeAsync(1000)
  expect(read).toHaveBeenCalledTimes(2)
  await settle(({ done }) => done(2))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(read).toHaveBeenCalledTimes(2)
  expect(held.data.value).toBe(2)
})

test('what changes after a while is read at once', async () => {
  const { read, settle } = slow()
  const held = createResource(read)
  held.hold()
  await settle(({ done }) => done(1))
  await vi.advanceTimersByTimeAsync(500)
  held.touch()
  expect(read).toHaveBeenCalledTimes(2)
})

test('a server that is away is asked again, and what was read stays', async () => {
  const { read, settle } = slow()
  const held = createResource(read)
  held.hold()
  await settle(({ done }) => done(1))
  await vi.advanceTimersByTimeAsync(500)
  held.touch()
  await settle(({ fail }) => fail(new Problem('away', 0)))
  expect([held.data.value, held.problem.value?.isOffline]).toEqual([1, true])
  await vi.advanceTimersByTimeAsync(5000)
  await settle(({ done }) => done(2))
  expect([held.data.value, held.problem.value]).toEqual([2, null])
})

test('what the server refused is not asked again by itself', async () => {
  const { read, settle } = slow()
  const held = createResource(read)
  held.hold()
  await settle(({ fail }) => fail(new Problem('no such loop', 404)))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(read).toHaveBeenCalledOnce()
})

test('who went away asks for nothing more', async () => {
  const { read, settle } = slow()
  const held = createResource(read)
  const leave = held.hold()
  await settle(({ done }) => done(1))
  leave()
  held.touch()
  await vi.advanceTimersByTimeAsync(1000)
  expect(read).toHaveBeenCalledOnce()
})
