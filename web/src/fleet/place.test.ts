import { describe, expect, it } from 'vitest'
import type { FleetPlace } from '../api/types'
import { placeWords, standsWhere } from './place'

const PLACE: FleetPlace = { status: 'queued', holder: null, before: 2, account: 'team', user: 'ada', trouble: '' }

describe('where a run is', () => {
  it('counts from one, and tells what is in the way', () => {
    expect(placeWords(PLACE)).toEqual(['position 3 in the queue of team', 'ada'])
    expect(placeWords({ ...PLACE, trouble: 'no space left' })).toContain('no space left')
    expect(standsWhere(PLACE)).toBe('position 3 in the queue of team')
  })

  it('names the machine that drives it', () => {
    const place: FleetPlace = { ...PLACE, status: 'running', holder: 'forge-1', before: 0 }
    expect(placeWords(place)[0]).toBe('on forge-1, account team')
    expect(standsWhere(place)).toBe('forge-1')
  })
})
