// Something that keeps a role from going on, and how a person settles it.
import { useState } from 'preact/hooks'
import type { Blocker } from '../api/cycles'
import type { SendCommand } from '../app/address'
import { Field } from '../ui/Field'
import { ProblemNotice } from '../ui/Notice'
import type { Tone } from '../ui/tones'
import { fieldProblem, useCommand } from '../ui/useCommand'
import { partyWords, t } from './i18n'
import type { CycleView } from './parts'
import { parseStepKey } from './steps'

interface BlockerCardProps {
  send: SendCommand
  blocker: Blocker
  view: CycleView
}

const TONES: Record<Blocker['status'], Tone> = { open: 'warn', resolved: 'good', workaround: 'info' }
const FIELDS = ['resolution'] as const

export function BlockerCard({ send, blocker, view }: BlockerCardProps) {
  const { id, description, reported_by, status, resolution } = blocker
  const held = view.run.engine.holds?.[id] ?? []
  return (
    <article class={`card settled tone-${TONES[status]}`}>
      <header class="row spread">
        <h3>
          <span class="mono small muted">{id}</span> {description}
        </h3>
        <span class={`badge tone-${TONES[status]}`}>{t(`blocker.${status}`)}</span>
      </header>
      <p class="muted small">
        {t('blocker.by', { who: partyWords(reported_by) })}
        {held.length > 0 && ` · ${t('decide.holds')} ${held.map((key) => parseStepKey(key).task ?? key).join(', ')}`}
      </p>
      {resolution && <p class="pre">{resolution}</p>}
      {status === 'open' && view.run.status !== 'completed' && <Resolve send={send} id={id} />}
    </article>
  )
}

function Resolve({ send, id }: { send: SendCommand; id: string }) {
  const [resolution, setResolution] = useState('')
  const [isWorkaround, setWorkaround] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const { busy, problem, run, clear } = useCommand()
  const refused = fieldProblem(problem, FIELDS)

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setMissing(resolution.trim() === '')
    if (resolution.trim() === '') return
    const body = { resolution: resolution.trim(), ...(isWorkaround && { workaround: true }) }
    void run(() => send(`blockers/${encodeURIComponent(id)}`, body))
  }
  return (
    <form class="form" noValidate onSubmit={submit} onInput={clear}>
      <Field label={t('resolve.how')} error={isMissing ? t('resolve.missing') : refused?.words}>
        <textarea
          class="input"
          rows={2}
          value={resolution}
          onInput={(event) => setResolution(event.currentTarget.value)}
        />
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={isWorkaround}
          onChange={(event) => setWorkaround(event.currentTarget.checked)}
        />
        <span>
          {t('resolve.workaround')}
          <small class="hint">{t('resolve.workaround_hint')}</small>
        </span>
      </label>
      {!refused && <ProblemNotice problem={problem} />}
      <p>
        <button type="submit" class="button primary" disabled={busy}>
          {t('resolve.send')}
        </button>
      </p>
    </form>
  )
}
