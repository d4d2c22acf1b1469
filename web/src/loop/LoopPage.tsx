// One loop's page: what there is to know about it, live.
import { useEffect, useMemo } from 'preact/hooks'
import type { Problem } from '../api/client'
import type { LoopRef, LoopView } from '../api/types'
import './loop.css'
import './talk.css'
import './sections.css'
import { ProblemNotice } from '../ui/Notice'
import { Damaged, Gone, Loading, Missing } from './absent'
import { Head } from './Head'
import { useHeld } from './resource'
import { Tabbed } from './Tabbed'
import { follow, type Watched, watched } from './watch'

export function LoopPage({ at, tab }: { at: LoopRef; tab: string | undefined }) {
  const { id, project } = at
  const seen = useMemo(() => watched({ id, project }), [id, project])
  const { data, problem } = useHeld(seen.loop)
  const isThere = data !== null
  useEffect(() => (isThere ? follow(seen) : undefined), [seen, isThere])
  useTitle(data?.loop.title ?? id)
  useLastBreath(seen, data)

  if (seen.isGone.value || (data && problem?.status === 404)) return <Gone title={data?.loop.title ?? id} />
  if (problem?.status === 503) return <Damaged seen={seen} problem={problem} />
  if (!data) return problem ? <Nothing seen={seen} problem={problem} /> : <Loading />
  return <There seen={seen} view={data} tab={tab} />
}

function There({ seen, view, tab }: { seen: Watched; view: LoopView; tab: string | undefined }) {
  return (
    <div class="loop">
      <Head seen={seen} view={view} />
      <Tabbed seen={seen} view={view} tab={tab} />
    </div>
  )
}

/** An id of a wrong form is as unknown as any other. */
function Nothing({ seen, problem }: { seen: Watched; problem: Problem }) {
  return problem.status === 404 || problem.status === 400 ? (
    <Missing id={seen.at.id} words={problem.message} />
  ) : (
    <ProblemNotice problem={problem} retry={seen.loop.touch} />
  )
}

/** Milliseconds. */
const LAST_BREATH = 700

/** A runner that has nothing more to do leaves a moment after its last entry, and without another one. */
function useLastBreath(seen: Watched, view: LoopView | null): void {
  useEffect(() => {
    if (!view?.live || view.loop.status === 'running') return
    const timer = setTimeout(seen.loop.touch, LAST_BREATH)
    return () => clearTimeout(timer)
  }, [seen, view])
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · loopwright`
    return () => {
      document.title = 'loopwright'
    }
  }, [title])
}
