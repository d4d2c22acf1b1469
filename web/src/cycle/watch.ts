// Everything the page knows about one cycle, kept true by its stream: an entry makes parts old.

import { ask, get } from '../api/client'
import type { Cycle, CycleView, DocumentLine, Finding } from '../api/cycles'
import type { Ref } from '../api/types'
import { cyclePlace, type Place } from '../app/place'
import { type Resource, resource } from '../run/resource'
import type { DiffAnswer, Step, Validation } from '../run/shapes'
import { type Followed, follow as followAny, followed } from '../run/watch'

/** `role`: whose step it is; null for the engine's own. */
export type RoleStep = Step & { role: string | null }

export interface Watched extends Followed {
  cycle: Resource<CycleView>
  timeline: Resource<RoleStep[]>
  documents: Resource<DocumentLine[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  discoveries: Resource<Finding[]>
}

const PARTS = ['cycle', 'timeline', 'documents', 'diff', 'history', 'discoveries'] as const

/** Changes of the state that leave no trace in the files. What is not named makes everything old. */
const ONLY_THE_STATE: readonly string[] = [
  'lease_taken',
  'session',
  'session_left',
  'answered',
  'edited',
  'permission_asked',
  'permission_answered',
  'permission_taken',
  'permission_withdrawn',
  'permissions_forgotten',
  'question_asked',
  'question_taken',
  'notification_failed',
]

/** What a section of the page shows. */
export interface Section {
  seen: Watched
  view: CycleView
  /** What stands behind the tab's name in the address, as in `changes-3`. */
  detail: string | undefined
}

export function watched(at: Ref): Watched {
  const place = cyclePlace(at)
  const of = <T>(rest: string) => resource(() => get<T>(place.path(rest)))
  const cycle = resource(() => cycleView(place))
  return {
    ...followed(place, () => cycle.data.value?.cycle.engine.rev ?? 0),
    cycle,
    timeline: of('/timeline'),
    documents: of('/documents'),
    diff: of('/diff'),
    history: of('/history'),
    discoveries: of('/discoveries'),
  }
}

/** Until the function is called. */
export function follow(seen: Watched): () => void {
  return followAny(seen, seen.cycle.data.value?.cycle.engine.rev ?? 0, {
    changed: (type) => {
      for (const part of PARTS) if (part === 'cycle' || !ONLY_THE_STATE.includes(type)) seen[part].touch()
    },
    again: () => {
      for (const part of PARTS) seen[part].touch()
    },
  })
}

async function cycleView(place: Place): Promise<CycleView> {
  const { body, etag } = await ask<{ data: Cycle; project: string; live?: boolean }>('GET', place.path())
  return { cycle: body.data, project: body.project, live: body.live ?? false, etag }
}
