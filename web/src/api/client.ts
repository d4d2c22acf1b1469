// One way to ask the server: JSON in, JSON out, and every refusal is a Problem with the server's own words.
import { signal } from '@preact/signals'

/** The server does not know us (any more): the page says how to get in. */
export const loggedOut = signal(false)

/** What the server refused, or that it could not be reached (`status` 0). */
export class Problem extends Error {
  readonly status: number

  constructor(words: string, status: number) {
    super(words)
    this.name = 'Problem'
    this.status = status
  }

  /** The server is away: what is on the screen may be old, and trying again is worth it. */
  get isOffline(): boolean {
    return this.status === 0
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface RequestParts {
  body?: unknown
  query?: Query
  signal?: AbortSignal
}

/** The whole answer, for whoever needs what stands beside `data`. Throws Problem. */
export async function request<T>(method: Method, path: string, asking: RequestParts = {}): Promise<T> {
  const answer = await fetchAnswer(method, path, asking)
  const body = await parseBody(answer)
  if (answer.status === 401) loggedOut.value = true
  if (!answer.ok || !isRecord(body) || body.success !== true) {
    throw new Problem(refusalOf(body) ?? `${answer.status} ${answer.statusText}`, answer.status)
  }
  return body as T
}

/** `data` of what is read. */
export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await request<{ data: T }>('GET', path, { ...(query && { query }), ...(signal && { signal }) })).data
}

/** `data` of the answer to a change. */
export async function send<T>(method: Exclude<Method, 'GET'>, path: string, asking: RequestParts = {}): Promise<T> {
  return (await request<{ data: T }>(method, path, asking)).data
}

export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

async function fetchAnswer(method: Method, path: string, { body, query, signal }: RequestParts): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    return await fetch(withQuery(path, query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Problem('the server does not answer', 0)
  }
}

async function parseBody(answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    // A proxy in between, or a server that was killed while it spoke.
    throw new Problem(`${answer.status} ${answer.statusText}: no JSON`, answer.ok ? 0 : answer.status)
  }
}

function refusalOf(body: unknown): string | null {
  return isRecord(body) && typeof body.error === 'string' ? body.error : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
