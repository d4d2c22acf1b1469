// What an agent wants to do and may not without a person's word.
import type { PermissionRequest } from '../api/types'
import type { SendCommand } from '../app/address'
import { t } from '../i18n'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'

type Word = 'allow' | 'deny'
const WORDS: readonly Word[] = ['allow', 'deny']

export function Permissions({ send, requests }: { send: SendCommand; requests: readonly PermissionRequest[] }) {
  const { busy, problem, run } = useCommand()
  const open = requests.filter(({ answer }) => !answer)
  const say = (body: Record<string, unknown>) => void run(() => send('approve', body))

  return (
    <section class="asked card tone-warn" aria-label={t('permit.title')}>
      <div class="row spread">
        <h2>{t('permit.title')}</h2>
        {open.length > 1 && (
          <div class="row">
            {WORDS.map((word) => (
              <button
                key={word}
                type="button"
                class="button"
                disabled={busy}
                onClick={() => say({ answer: word, every: true })}
              >
                {t(`permit.${word}_all`, { n: open.length })}
              </button>
            ))}
          </div>
        )}
      </div>
      <ul class="requests">
        {requests.map((request) => (
          <Request
            key={request.id}
            request={request}
            busy={busy}
            onSay={(word) => say({ answer: word, request: request.id })}
          />
        ))}
      </ul>
      <ProblemNotice problem={problem} />
    </section>
  )
}

interface RequestProps {
  request: PermissionRequest
  busy: boolean
  onSay: (word: Word) => void
}

function Request({ request, busy, onSay }: RequestProps) {
  return (
    <li>
      <div class="request">
        <p>
          <strong>{request.title}</strong>{' '}
          <span class="muted small">
            {request.agent} · {request.action} · {request.kind}
          </span>
        </p>
        {request.command && <pre>{request.command}</pre>}
        {request.paths.length > 0 && <p class="mono small">{request.paths.join(', ')}</p>}
        {request.reason && <p class="muted small">{request.reason}</p>}
      </div>
      {request.answer ? (
        <span class={`badge ${request.answer === 'allow' ? 'tone-good' : 'tone-bad'}`}>
          {t(`permit.given.${request.answer}`)}
        </span>
      ) : (
        <div class="row">
          {WORDS.map((word) => (
            <button
              key={word}
              type="button"
              class={word === 'allow' ? 'button primary' : 'button'}
              disabled={busy}
              aria-label={t('permit.which', { deed: t(`permit.${word}`), what: request.title })}
              onClick={() => onSay(word)}
            >
              {t(`permit.${word}`)}
            </button>
          ))}
        </div>
      )}
    </li>
  )
}
