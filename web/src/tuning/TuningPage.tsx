// One tuning session's page: what is wrong with a skill, and what was done about it, live.
import '../run/page.css'
import '../run/talk.css'
import '../run/sections.css'
import './tuning.css'
import { useEffect, useMemo } from 'preact/hooks'
import type { TuningView } from '../api/tunings'
import type { Ref } from '../api/types'
import { TUNINGS_HREF } from '../app/router'
import { Gone, type Kind, Loading, Nothing } from '../run/absent'
import { useHeld } from '../run/resource'
import { useLastBreath, useTitle } from '../run/usePage'
import { titleOf } from './findings'
import { Head } from './Head'
import { t } from './i18n'
import { Tabbed } from './Tabbed'
import { follow, type Watched, watched } from './watch'

const KIND: Kind = { list: TUNINGS_HREF, say: t }

export function TuningPage({ at, tab }: { at: Ref; tab: string | undefined }) {
  const { id, project } = at
  const seen = useMemo(() => watched({ id, project }), [id, project])
  const { data, problem } = useHeld(seen.tuning)
  const isThere = data !== null
  useEffect(() => (isThere ? follow(seen) : undefined), [seen, isThere])
  const title = data ? titleOf(data.tuning) : id
  useTitle(title)
  useLastBreath(seen.tuning, ({ tuning }) => tuning.status)

  if (seen.isGone.value || (data && problem?.status === 404)) return <Gone kind={KIND} title={title} />
  if (problem && (!data || problem.status === 503)) {
    return <Nothing kind={KIND} place={seen.place} problem={problem} view={seen.tuning} />
  }
  return data ? <There seen={seen} view={data} tab={tab} /> : <Loading />
}

function There({ seen, view, tab }: { seen: Watched; view: TuningView; tab: string | undefined }) {
  return (
    <div class="sheet">
      <Head seen={seen} view={view} tab={tab ?? 'overview'} />
      <Tabbed seen={seen} view={view} tab={tab} />
    </div>
  )
}
