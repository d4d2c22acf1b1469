// Where we are, in the address behind `#`, so that the server needs to know one page only.
import { signal } from '@preact/signals'
import type { KindName, Ref } from '../api/types'

export type Route =
  | { page: 'list'; kind: KindName }
  | { page: 'run'; kind: KindName; at: Ref; tab: string | undefined }
  | { page: 'fleet'; project: string | undefined }
  | { page: 'lost' }

/** What each kind is called in the address. */
const FOLDERS: Readonly<Record<KindName, string>> = { loop: 'loops', cycle: 'cycles', tuning: 'tunings' }
const FLEET = 'fleet'
export const KIND_NAMES: readonly KindName[] = ['loop', 'cycle', 'tuning']

export const route = signal<Route>(parseHash(location.hash))

window.addEventListener('hashchange', () => {
  route.value = parseHash(location.hash)
})

/** `#/loops/ID/TAB?project=NAME`. */
function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?')
  const [folder = 'loops', id, tab, ...rest] = path.split('/').filter(Boolean).map(decodePart)
  const project = new URLSearchParams(query).get('project') ?? undefined
  if (folder === FLEET && id === undefined) return { page: 'fleet', project }
  const kind = KIND_NAMES.find((name) => FOLDERS[name] === folder)
  if (rest.length > 0 || kind === undefined) return { page: 'lost' }
  if (id === undefined) return { page: 'list', kind }
  return { page: 'run', kind, at: { id, project }, tab }
}

export function listHref(kind: KindName): string {
  return `#/${FOLDERS[kind]}`
}

export function runHref(kind: KindName, { id, project }: Ref, tab?: string): string {
  return `${listHref(kind)}/${encodeURIComponent(id)}${tab ? `/${encodeURIComponent(tab)}` : ''}${queryOf(project)}`
}

/** `project`: one that names it, where there are several fleets. */
export function fleetHref(project?: string): string {
  return `#/${FLEET}${queryOf(project)}`
}

export function go(href: string): void {
  location.hash = href
}

function queryOf(project: string | undefined): string {
  return project ? `?project=${encodeURIComponent(project)}` : ''
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
