// Where the server is asked about one run, and where its page is.
import { type Query, send, withQuery } from '../api/client'
import { ROOTS } from '../api/runs'
import type { KindName, Ref } from '../api/types'
import { runHref } from './router'

export interface RunAddress {
  at: Ref
  /** The address of something of its own. */
  path: (rest?: string, query?: Query) => string
  href: (tab?: string) => string
}

/** Sends a command, with what it takes. */
export type SendCommand = (name: string, body?: Record<string, unknown>) => Promise<unknown>

export function addressOf(kind: KindName, at: Ref): RunAddress {
  return {
    at,
    path: (rest = '', query = {}) =>
      withQuery(`${ROOTS[kind]}/${encodeURIComponent(at.id)}${rest}`, { ...query, project: at.project }),
    href: (tab) => runHref(kind, at, tab),
  }
}

export function commandsAt({ path }: RunAddress): SendCommand {
  return (name, body = {}) => send('POST', path(`/${name}`), { body })
}
