// The frame: skip link, navigation, the page of the route.
import { useEffect, useRef } from 'preact/hooks'
import { loggedOut } from '../api/client'
import { connection } from '../api/stream'
import { FleetPage } from '../fleet/FleetPage'
import { t } from '../i18n'
import { KINDS } from '../kinds'
import { Notice } from '../ui/Notice'
import { Header, Login } from './Frame'
import { go, listHref, type Route, route } from './router'
import { useShortcut } from './shortcuts'

export function App() {
  const main = useRef<HTMLElement>(null)
  const here = route.value
  const place = here.page === 'run' ? here.at.id : here.page === 'list' ? here.kind : here.page
  const first = useRef(true)

  useShortcut('n', () => {
    const kind = 'kind' in here ? here.kind : 'loop'
    KINDS[kind].openForm()
    go(listHref(kind))
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

function Page({ here }: { here: Route }) {
  if (here.page === 'lost') {
    return (
      <div class="stack">
        <h1>{t('lost.title')}</h1>
        <p>
          <a href={listHref('loop')}>{t('lost.back')}</a>
        </p>
      </div>
    )
  }
  if (here.page === 'fleet') return <FleetPage project={here.project} />
  const { List, Page } = KINDS[here.kind]
  return here.page === 'list' ? <List /> : <Page key={here.at.id} at={here.at} tab={here.tab} />
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
