// The next step of an interactive loop, for a person to choose. What cannot be chosen says why.
import type { Menu as MenuState } from '../api/types'
import type { SendCommand } from '../app/address'
import { t, translatorOfKnown } from '../i18n'
import { en } from '../i18n/en'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'

const known = translatorOfKnown(en, t)

export function Menu({ send, menu }: { send: SendCommand; menu: MenuState }) {
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
                onClick={() => void run(() => send('choose', { choice: name }))}
              >
                {known(`menu.${name}`, name)}
              </button>
              <span class="muted small" id={`menu-${name}`}>
                {blocked || known(`menu.${name}_words`, words)}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted" role="status">
          {t('menu.chosen', { name: known(`menu.${choice}`, choice) })}
        </p>
      )}
      <ProblemNotice problem={problem} />
    </section>
  )
}
