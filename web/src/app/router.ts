// Where we are, in the address behind `#`, so that the server needs to know one page only.
import { signal } from '@preact/signals'
import type { Ref } from '../api/types'

export type Route =
  | { page: 'loops' | 'cycles' | 'tunings' | 'lost' }
  | { page: 'loop' | 'cycle' | 'tuning'; at: Ref; tab: string | undefined }

/** Of each folder of the address: its list, and one out of it. */
const FOLDERS = { loops: 'loop', cycles: 'cycle', tunings: 'tuning' } as const

export const route = signal<Route>(parsed(location.hash))

window.addEventListener('hashchange', () => {
  route.value = parsed(location.hash)
})

/** `#/loops/ID/TAB?project=NAME`. */
export function parsed(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?')
  const [folder = 'loops', id, tab, ...rest] = path.split('/').filter(Boolean).map(plain)
  if (rest.length > 0 || !isFolder(folder)) return { page: 'lost' }
  if (id === undefined) return { page: folder }
  return { page: FOLDERS[folder], at: { id, project: new URLSearchParams(query).get('project') ?? undefined }, tab }
}

export function loopHref(at: Ref, tab?: string): string {
  return hrefOf('loops', at, tab)
}

export function cycleHref(at: Ref, tab?: string): string {
  return hrefOf('cycles', at, tab)
}

export function tuningHref(at: Ref, tab?: string): string {
  return hrefOf('tunings', at, tab)
}

export const LOOPS_HREF = '#/loops'
export const CYCLES_HREF = '#/cycles'
export const TUNINGS_HREF = '#/tunings'

export function go(href: string): void {
  location.hash = href
}

function hrefOf(folder: keyof typeof FOLDERS, { id, project }: Ref, tab?: string): string {
  const query = project ? `?project=${encodeURIComponent(project)}` : ''
  return `#/${folder}/${encodeURIComponent(id)}${tab ? `/${encodeURIComponent(tab)}` : ''}${query}`
}

function isFolder(name: string): name is keyof typeof FOLDERS {
  return Object.hasOwn(FOLDERS, name)
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
