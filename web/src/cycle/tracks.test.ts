import { expect, it } from 'vitest'
import type { RoleStep } from './parts'
import { tracksOf } from './tracks'

const AT = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

function step(role: string | null, from: number, to: number | null): RoleStep {
  return { seq: from, role, started_at: AT(from), ended_at: to === null ? null : AT(to) } as RoleStep
}

it('roles come in their order, what overlaps on tracks of its own', () => {
  const tracks = tracksOf([step('vas', 0, 4), step('ra', 0, 5), step('cd', 5, 9), step('cd', 6, 10)], 0)
  expect(tracks.map(({ role, bars }) => [role, bars.length])).toEqual([
    ['ra', 1],
    ['cd', 1],
    ['cd', 1],
    ['vas', 1],
  ])
})

it('what follows stands on the same track, where it was in time', () => {
  const [track] = tracksOf([step('ra', 0, 5), step('ra', 5, 10)], 0)
  expect(track?.bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 50],
    [50, 50],
  ])
})

it('what is under way ends now, and nothing leaves the picture', () => {
  const [track] = tracksOf([step('ra', 0, 5), step('ra', 9, null)], Date.parse(AT(10)))
  expect(track?.bars[1]).toMatchObject({ left: 90, width: 10 })
  const still = tracksOf([step('ra', 0, 0)], 0)
  expect(still[0]?.bars[0]?.left).toBe(0)
  const short = tracksOf([step('ra', 0, 100), step('ep', 100, 100)], 0)
  expect((short[1]?.bars[0]?.left ?? 0) + (short[1]?.bars[0]?.width ?? 0)).toBeLessThanOrEqual(100)
})
