// Everything the page knows about one tuning session, kept true by its stream: an entry makes parts old.
import { ask, get } from '../api/client'
import type { SkillGraph, Text, Tuning, TuningView } from '../api/tunings'
import type { Ref } from '../api/types'
import { type Place, tuningPlace } from '../app/place'
import { type Resource, resource } from '../run/resource'
import { type Followed, follow as followAny, followed } from '../run/watch'

export interface Watched extends Followed {
  tuning: Resource<TuningView>
  report: Resource<Text>
  graph: Resource<SkillGraph>
  skill: Resource<SkillFile[]>
  /** A text of the skill's, read when it is looked at. */
  source: (file: string) => Resource<Text>
  sources: Map<string, Resource<Text>>
}

export interface SkillFile {
  file: string
  kind: string | null
  size: number
  tokens: number | null
}

const PARTS = ['tuning', 'report', 'graph', 'skill'] as const

/** What a section of the page shows. */
export interface Section {
  seen: Watched
  view: TuningView
  /** What stands behind the tab's name in the address, as in `fixes-FIX-001`. */
  detail: string | undefined
}

export function watched(at: Ref): Watched {
  const place = tuningPlace(at)
  const of = <T>(rest: string) => resource(() => get<T>(place.path(rest)))
  const tuning = resource(() => tuningView(place))
  const sources = new Map<string, Resource<Text>>()
  return {
    ...followed(place, () => tuning.data.value?.tuning.engine.rev ?? 0),
    tuning,
    report: of('/report'),
    graph: of('/graph'),
    skill: of('/skill'),
    sources,
    source: (file) => {
      const known = sources.get(file) ?? resource(() => get<Text>(place.path('/source', { file })))
      sources.set(file, known)
      return known
    },
  }
}

/** Until the function is called. */
export function follow(seen: Watched): () => void {
  // Any step may have changed the skill's files; what nobody looks at is not read.
  const touch = () => {
    for (const part of PARTS) seen[part].touch()
    for (const source of seen.sources.values()) source.touch()
  }
  return followAny(seen, seen.tuning.data.value?.tuning.engine.rev ?? 0, { changed: touch, again: touch })
}

async function tuningView(place: Place): Promise<TuningView> {
  const { body, etag } = await ask<{ data: Tuning; project: string; live?: boolean }>('GET', place.path())
  return { tuning: body.data, project: body.project, live: body.live ?? false, etag }
}
