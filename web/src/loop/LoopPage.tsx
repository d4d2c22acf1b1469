// One loop's page: what there is to know about it, live.
import { useEffect, useMemo } from 'preact/hooks'
import type { LoopView, Ref } from '../api/types'
import { LOOPS_HREF } from '../app/router'
import '../run/page.css'
import '../run/talk.css'
import '../run/sections.css'
import { Gone, type Kind, Loading, Nothing } from '../run/absent'
import { t } from '../run/i18n'
import { useHeld } from '../run/resource'
import { useLastBreath, useTitle } from '../run/usePage'
import { Head } from './Head'
import { Tabbed } from './Tabbed'
import { follow, type Watched, watched } from './watch'

const KIND: Kind = { list: LOOPS_HREF, say: t }

export function LoopPage({ at, tab }: { at: Ref; tab: string | undefined }) {
  const { id, project } = at
  const seen = useMemo(() => watched({ id, project }), [id, project])
  const { data, problem } = useHeld(seen.loop)
  const isThere = data !== null
  useEffect(() => (isThere ? follow(seen) : undefined), [seen, isThere])
  useTitle(data?.loop.title ?? id)
  useLastBreath(seen.loop, ({ loop }) => loop.status)

  if (seen.isGone.value || (data && problem?.status === 404)) return <Gone kind={KIND} title={data?.loop.title ?? id} />
  if (problem && (!data || problem.status === 503)) {
    return <Nothing kind={KIND} place={seen.place} problem={problem} view={seen.loop} />
  }
  return data ? <There seen={seen} view={data} tab={tab} /> : <Loading />
}

function There({ seen, view, tab }: { seen: Watched; view: LoopView; tab: string | undefined }) {
  return (
    <div class="sheet">
      <Head seen={seen} view={view} />
      <Tabbed seen={seen} view={view} tab={tab} />
    </div>
  )
}
