// Where we are, in the address behind `#`, so that the server needs to know one page only.
import { signal } from '@preact/signals'
import type { LoopRef } from '../api/types'

export type Route = { page: 'loops' } | { page: 'loop'; loop: LoopRef; tab: string | undefined } | { page: 'lost' }

export const route = signal<Route>(parsed(location.hash))

window.addEventListener('hashchange', () => {
  route.value = parsed(location.hash)
})

/** `#/loops/ID/TAB?project=NAME`. */
export function parsed(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?')
  const [place, id, tab, ...rest] = path.split('/').filter(Boolean).map(plain)
  if (rest.length > 0) return { page: 'lost' }
  if (place === undefined || (place === 'loops' && id === undefined)) return { page: 'loops' }
  if (place !== 'loops' || id === undefined) return { page: 'lost' }
  return { page: 'loop', loop: { id, project: new URLSearchParams(query).get('project') ?? undefined }, tab }
}

export function loopHref({ id, project }: LoopRef, tab?: string): string {
  const query = project ? `?project=${encodeURIComponent(project)}` : ''
  return `#/loops/${encodeURIComponent(id)}${tab ? `/${encodeURIComponent(tab)}` : ''}${query}`
}

export const LOOPS_HREF = '#/loops'

export function go(href: string): void {
  location.hash = href
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
