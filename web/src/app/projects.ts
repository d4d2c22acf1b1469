// The projects that are served, and the fleets that they name: the same for every page.
import { computed, signal } from '@preact/signals'
import { listProjects } from '../api/runs'
import type { Project } from '../api/types'

/** Empty until they were read. */
export const projects = signal<readonly Project[]>([])

/** Each by the first project that names it. */
export const fleets = computed(() => [...new Set(projects.value.flatMap(({ fleet }) => fleet ?? []))])

/** Problem. */
export async function readProjects(): Promise<void> {
  projects.value = await listProjects()
}
