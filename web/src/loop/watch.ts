// Everything the page knows about one loop, kept true by the loop's stream: an entry makes parts old.
import { ask, get } from '../api/client'
import type { Loop, LoopView, Ref } from '../api/types'
import { loopPlace, type Place } from '../app/place'
import { type Resource, resource } from '../run/resource'
import type {
  CheckpointView,
  DiffAnswer,
  Hypothesis,
  PlanLine,
  ProgressFile,
  Step,
  TestResult,
  Validation,
} from '../run/shapes'
import { type Followed, follow as followAny, followed } from '../run/watch'
import { PARTS, staleAfter } from './stale'

export interface Watched extends Followed {
  loop: Resource<LoopView>
  plan: Resource<PlanLine[]>
  timeline: Resource<Step[]>
  checkpoints: Resource<CheckpointView[]>
  diff: Resource<DiffAnswer>
  history: Resource<Validation[]>
  tests: Resource<TestResult[]>
  hypotheses: Resource<Hypothesis[]>
  files: Resource<ProgressFile[]>
}

/** What a section of the page shows. */
export interface Section {
  seen: Watched
  view: LoopView
  /** What stands behind the tab's name in the address, as in `changes-3`. */
  detail: string | undefined
}

export function watched(at: Ref): Watched {
  const place = loopPlace(at)
  const of = <T>(rest: string) => resource(() => get<T>(place.path(rest)))
  const loop = resource(() => loopView(place))
  return {
    ...followed(place, () => loop.data.value?.loop.engine.rev ?? 0),
    loop,
    plan: of('/plan'),
    timeline: of('/timeline'),
    checkpoints: of('/checkpoints'),
    diff: of('/diff'),
    history: of('/history'),
    tests: of('/tests'),
    hypotheses: of('/hypotheses'),
    files: of('/progress'),
  }
}

/** Until the function is called. */
export function follow(seen: Watched): () => void {
  return followAny(seen, seen.loop.data.value?.loop.engine.rev ?? 0, {
    changed: (type) => {
      for (const part of staleAfter(type)) seen[part].touch()
    },
    again: () => {
      for (const part of PARTS) seen[part].touch()
    },
  })
}

async function loopView(place: Place): Promise<LoopView> {
  const { body, etag } = await ask<{ data: Loop; project: string; live?: boolean }>('GET', place.path())
  return { loop: body.data, project: body.project, live: body.live ?? false, etag }
}
