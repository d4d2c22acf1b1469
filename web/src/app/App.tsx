// The frame: skip link, navigation, the page of the route.
import { useEffect, useRef } from 'preact/hooks'
import { loggedOut } from '../api/client'
import { connection } from '../api/stream'
import { CyclePage } from '../cycle/CyclePage'
import { CyclesPage } from '../cycles/CyclesPage'
import { cycles } from '../cycles/cycles'
import { t } from '../i18n'
import { LoopPage } from '../loop/LoopPage'
import { LoopsPage } from '../loops/LoopsPage'
import { loops } from '../loops/loops'
import { TuningPage } from '../tuning/TuningPage'
import { TuningsPage } from '../tunings/TuningsPage'
import { tunings } from '../tunings/tunings'
import { Notice } from '../ui/Notice'
import { Header } from './Header'
import { Login } from './Login'
import { CYCLES_HREF, go, LOOPS_HREF, type Route, route, TUNINGS_HREF } from './router'
import { useShortcut } from './shortcuts'

export function App() {
  const main = useRef<HTMLElement>(null)
  const here = route.value
  const place = 'at' in here ? here.at.id : here.page
  const first = useRef(true)

  useShortcut('n', () => {
    const [list, href] = listOf(here.page)
    list.creating.value = true
    go(href)
  })

  useEffect(() => {
    // Who goes to another page by keyboard or screen reader starts at its top, not where the link was.
    if (!first.current) {
      main.current?.focus({ preventScroll: true })
      window.scrollTo(0, 0)
    }
    first.current = false
  }, [place])

  return (
    <>
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {t('app.skip')}
      </button>
      <Header />
      {connection.value === 'offline' && !loggedOut.value && <Offline />}
      <main class="page" id="content" tabIndex={-1} ref={main}>
        {loggedOut.value ? <Login /> : <Page here={here} />}
      </main>
    </>
  )
}

/** The list that a new one is made in, from this page. */
function listOf(page: Route['page']) {
  if (page === 'cycles' || page === 'cycle') return [cycles, CYCLES_HREF] as const
  if (page === 'tunings' || page === 'tuning') return [tunings, TUNINGS_HREF] as const
  return [loops, LOOPS_HREF] as const
}

function Page({ here }: { here: Route }) {
  switch (here.page) {
    case 'loops':
      return <LoopsPage />
    case 'loop':
      return <LoopPage key={here.at.id} at={here.at} tab={here.tab} />
    case 'cycles':
      return <CyclesPage />
    case 'cycle':
      return <CyclePage key={here.at.id} at={here.at} tab={here.tab} />
    case 'tunings':
      return <TuningsPage />
    case 'tuning':
      return <TuningPage key={here.at.id} at={here.at} tab={here.tab} />
    case 'lost':
      return (
        <div class="stack">
          <h1>{t('lost.title')}</h1>
          <p>
            <a href={LOOPS_HREF}>{t('lost.back')}</a>
          </p>
        </div>
      )
  }
}

/** What is on the screen stays, and is marked as old. */
function Offline() {
  return (
    <div class="offline">
      <Notice tone="warn" title={t('offline.title')}>
        <span>{t('offline.words')}</span>
      </Notice>
    </div>
  )
}
