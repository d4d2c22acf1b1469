// The next step of an interactive loop, for a person to choose. What cannot be chosen says why.
import type { Menu } from '../api/types'
import type { Act } from '../app/place'
import { type Key, t } from '../i18n'
import { en } from '../i18n/en'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'

export function MenuOf({ act, menu }: { act: Act; menu: Menu }) {
  const { busy, problem, run } = useCommand()
  const choice = menu.choice ?? null

  return (
    <section class="asked card tone-info" aria-label={t('menu.title')}>
      <h2>{t('menu.title')}</h2>
      {choice === null ? (
        <ul class="menu">
          {menu.entries.map(({ name, words, blocked, preselected }) => (
            <li key={name}>
              <button
                type="button"
                class={preselected && !blocked ? 'button primary' : 'button'}
                disabled={busy || Boolean(blocked)}
                aria-describedby={`menu-${name}`}
                onClick={() => void run(() => act('choose', { choice: name }))}
              >
                {said(`menu.${name}`, name)}
              </button>
              <span class="muted small" id={`menu-${name}`}>
                {blocked || said(`menu.${name}_words`, words)}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted" role="status">
          {t('menu.chosen', { name: said(`menu.${choice}`, choice) })}
        </p>
      )}
      <ProblemNotice problem={problem} />
    </section>
  )
}

/** In the person's language where the entry is known here; else as the loop says it. */
function said(key: string, words: string): string {
  return key in en ? t(key as Key) : words
}
