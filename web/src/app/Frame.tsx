// What stands around the page: brand, navigation, language and colours, the keys; and the way in.
import { useEffect, useState } from 'preact/hooks'
import { loggedOut, Problem } from '../api/client'
import { type Key, LANGUAGES, type Language, language, setLanguage, t } from '../i18n'
import { Dialog } from '../ui/Dialog'
import { Picker } from '../ui/Picker'
import { fleets, readProjects } from './projects'
import { fleetHref, KIND_NAMES, listHref, route } from './router'
import { useShortcut } from './shortcuts'
import { setTheme, THEMES, theme } from './theme'

export function Header() {
  const here = route.value
  useEffect(() => {
    // The page itself says what is wrong; without the projects there is just no choice of them.
    readProjects().catch((error) => {
      if (!(error instanceof Problem)) throw error
    })
  }, [here.page, loggedOut.value])

  return (
    <header class="top">
      <a class="brand" href={listHref('loop')} aria-label={t('app.home')}>
        <svg
          width="18"
          height="18"
          viewBox="0 0 32 32"
          fill="none"
          stroke="currentColor"
          stroke-width="4"
          aria-hidden="true"
        >
          <path d="M26 16a10 10 0 1 1-3.2-7.3M26.5 3.5v6h-6" stroke-linecap="round" />
        </svg>
        <span>loopwright</span>
      </a>
      <nav aria-label={t('app.navigation')}>
        <ul>
          {KIND_NAMES.map((kind) => (
            <li key={kind}>
              <a href={listHref(kind)} aria-current={'kind' in here && here.kind === kind ? 'page' : undefined}>
                {t(`nav.${kind}`)}
              </a>
            </li>
          ))}
          {fleets.value.length > 0 && (
            <li>
              <a href={fleetHref()} aria-current={here.page === 'fleet' ? 'page' : undefined}>
                {t('nav.fleet')}
              </a>
            </li>
          )}
        </ul>
      </nav>
      <div class="tools row">
        <Picker
          label={t('theme.label')}
          value={theme.value}
          options={THEMES.map((name) => [name, t(`theme.${name}`)] as const)}
          onPick={setTheme}
        />
        <Picker
          label={t('language.label')}
          value={language.value}
          options={Object.entries(LANGUAGES).map(([name, words]) => [name as Language, words] as const)}
          onPick={setLanguage}
        />
        <Help />
      </div>
    </header>
  )
}

const KEYS: readonly (readonly [string, Key])[] = [
  ['/', 'help.search'],
  ['n', 'help.new'],
  ['Alt ↑ ↓', 'help.move'],
  ['Esc', 'help.close'],
  ['?', 'help.help'],
]

/** The keys that do something. */
function Help() {
  const [open, setOpen] = useState(false)
  useShortcut('?', () => setOpen(true))
  useEffect(() => {
    const close = () => setOpen(false)
    addEventListener('hashchange', close)
    return () => removeEventListener('hashchange', close)
  }, [])
  return (
    <>
      <button type="button" class="button plain icon" aria-label={t('help.open')} onClick={() => setOpen(true)}>
        ?
      </button>
      {open && (
        <Dialog title={t('help.title')} onClose={() => setOpen(false)}>
          <dl class="dialog-body keys">
            {KEYS.map(([key, words]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{t(words)}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

/** For whoever has no token: where it is. */
export function Login() {
  return (
    <section class="blank card">
      <h1>{t('login.title')}</h1>
      <p>{t('login.words')}</p>
      <p class="muted small">
        {t('login.example')} <code>{location.origin}/?token=…</code>
      </p>
      <p>
        <button
          type="button"
          class="button"
          onClick={() => {
            loggedOut.value = false
          }}
        >
          {t('login.again')}
        </button>
      </p>
    </section>
  )
}
