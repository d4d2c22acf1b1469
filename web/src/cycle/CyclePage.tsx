// One cycle's page: its roles at work, and all that they made, live.
import '../run/page.css'
import '../run/talk.css'
import '../run/sections.css'
import './cycle.css'
import { useEffect, useMemo } from 'preact/hooks'
import type { CycleView } from '../api/cycles'
import type { Ref } from '../api/types'
import { CYCLES_HREF } from '../app/router'
import { Gone, type Kind, Loading, Nothing } from '../run/absent'
import { useHeld } from '../run/resource'
import { useLastBreath, useTitle } from '../run/usePage'
import { Head } from './Head'
import { t } from './i18n'
import { Tabbed } from './Tabbed'
import { follow, type Watched, watched } from './watch'

const KIND: Kind = { list: CYCLES_HREF, say: t }

export function CyclePage({ at, tab }: { at: Ref; tab: string | undefined }) {
  const { id, project } = at
  const seen = useMemo(() => watched({ id, project }), [id, project])
  const { data, problem } = useHeld(seen.cycle)
  const isThere = data !== null
  useEffect(() => (isThere ? follow(seen) : undefined), [seen, isThere])
  useTitle(data?.cycle.title ?? id)
  useLastBreath(seen.cycle, ({ cycle }) => cycle.status)

  if (seen.isGone.value || (data && problem?.status === 404)) {
    return <Gone kind={KIND} title={data?.cycle.title ?? id} />
  }
  if (problem && (!data || problem.status === 503)) {
    return <Nothing kind={KIND} place={seen.place} problem={problem} view={seen.cycle} />
  }
  return data ? <There seen={seen} view={data} tab={tab} /> : <Loading />
}

function There({ seen, view, tab }: { seen: Watched; view: CycleView; tab: string | undefined }) {
  return (
    <div class="sheet">
      <Head seen={seen} view={view} tab={tab ?? 'overview'} />
      <Tabbed seen={seen} view={view} tab={tab} />
    </div>
  )
}
