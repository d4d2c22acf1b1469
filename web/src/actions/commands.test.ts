import { describe, expect, it } from 'vitest'
import type { FleetPlace, KindName } from '../api/types'
import { OFFERS, offerAt, offerOf, standingOf } from './commands'

/** Standings that can be deleted, and that can be stopped. */
const DELETABLE: Readonly<Record<KindName, readonly string[]>> = {
  loop: ['created', 'paused', 'parked', 'user_exit', 'completed', 'failed'],
  cycle: ['created', 'paused', 'parked', 'user_exit', 'completed', 'failed'],
  tuning: ['pending', 'waiting', 'orphaned', 'completed', 'failed'],
}
const ENDED = ['completed', 'failed']

describe.each(Object.keys(OFFERS) as KindName[])('what is offered for a %s', (kind) => {
  it.each(Object.keys(OFFERS[kind]))(
    '%s: deleted only at rest, stopped only before its end, and nothing twice',
    (how) => {
      const { first, rest } = offerOf(kind, how)
      const all = [...first, ...rest]
      expect(all.includes('delete')).toBe(DELETABLE[kind].includes(how))
      expect(all.includes('stop')).toBe(!ENDED.includes(how))
      expect(new Set(all).size).toBe(all.length)
    },
  )
})

describe('how a run is', () => {
  it('a running loop without a runner can be taken up again', () => {
    expect(standingOf({ status: 'running', live: true })).toBe('running')
    expect(standingOf({ status: 'running', live: false })).toBe('orphaned')
    expect(offerOf('loop', 'orphaned').first[0]).toBe('take_up')
  })

  it('a parked loop can be kept paused', () => {
    expect(offerOf('loop', standingOf({ status: 'paused', live: false, isParked: true })).first).toContain(
      'keep_paused',
    )
  })

  it('one that waits for a person without a runner is not orphaned, and urges nobody', () => {
    expect(standingOf({ status: 'running', live: false, waits: true })).toBe('waiting')
    expect([offerOf('tuning', 'waiting').urges, offerOf('tuning', 'orphaned').urges]).toEqual([false, true])
  })
})

describe('what is offered for a run that other machines drive', () => {
  const at = (status: FleetPlace['status']): FleetPlace => ({
    status,
    holder: null,
    before: 0,
    account: 'team',
    user: 'ada',
    trouble: '',
  })

  it.each([
    ['queued', 'created', ['stop']],
    ['running', 'running', ['pause', 'pause_now', 'tell', 'stop']],
    ['resting', 'paused', ['resume', 'tell', 'stop']],
    ['finished', 'completed', ['reopen']],
  ] as const)('%s, and %s: %j', (place, standing, commands) => {
    const { first, rest } = offerAt(at(place), offerOf('loop', standing))
    expect([...first, ...rest]).toEqual(commands)
  })

  it('nothing changes for one that is here', () => {
    const offer = offerOf('loop', 'created')
    expect(offerAt(null, offer)).toBe(offer)
  })
})
