// For whoever has no token: where it is.
import { loggedOut } from '../api/client'
import { t } from '../i18n'

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
