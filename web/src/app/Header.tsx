// The line on top: brand, navigation, language and colours.
import { LANGUAGES, type Language, language, speak, t } from '../i18n'
import { Picker } from '../ui/Picker'
import { Help } from './Help'
import { NAV } from './nav'
import { LOOPS_HREF, route } from './router'
import { THEMES, theme, wear } from './theme'

export function Header() {
  return (
    <header class="top">
      <a class="brand" href={LOOPS_HREF} aria-label={t('app.home')}>
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
          {NAV.map((line) => (
            <li key={line.href}>
              <a href={line.href} aria-current={line.pages.includes(route.value.page) ? 'page' : undefined}>
                {t(line.words)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools row">
        <Picker
          label={t('theme.label')}
          value={theme.value}
          options={THEMES.map((name) => [name, t(`theme.${name}`)] as const)}
          onPick={wear}
        />
        <Picker
          label={t('language.label')}
          value={language.value}
          options={Object.entries(LANGUAGES).map(([name, words]) => [name as Language, words] as const)}
          onPick={speak}
        />
        <Help />
      </div>
    </header>
  )
}
