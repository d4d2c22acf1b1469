// One loop, one cycle or one tuning session: where the server is asked about it, and where its page is.

import { type Query, send, withQuery } from '../api/client'
import type { Ref } from '../api/types'
import { cycleHref, loopHref, tuningHref } from './router'

export interface Place {
  at: Ref
  /** The address of something of its own. */
  path: (rest?: string, query?: Query) => string
  href: (tab?: string) => string
}

/** A command, with what it takes. */
export type Act = (name: string, body?: Record<string, unknown>) => Promise<unknown>

export function loopPlace(at: Ref): Place {
  return placed(at, '/api/loops/v2', loopHref)
}

export function cyclePlace(at: Ref): Place {
  return placed(at, '/api/cycles', cycleHref)
}

export function tuningPlace(at: Ref): Place {
  return placed(at, '/api/tunings', tuningHref)
}

export function acting({ path }: Place): Act {
  return (name, body = {}) => send('POST', path(`/${name}`), { body })
}

function placed(at: Ref, root: string, href: (at: Ref, tab?: string) => string): Place {
  return {
    at,
    path: (rest = '', query = {}) =>
      withQuery(`${root}/${encodeURIComponent(at.id)}${rest}`, { ...query, project: at.project }),
    href: (tab) => href(at, tab),
  }
}
