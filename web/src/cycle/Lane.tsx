// One role: who plays it, what it does now, what it said last, what it wrote. Of the same height whatever it says.
import type { AgentState, CycleEngine, Role } from '../api/cycles'
import { duration } from '../run/format'
import { Ticked } from '../run/Ticked'
import { roleTitle, statusWords, stepWords, t } from './i18n'
import { underWay } from './steps'
import { ROLE_TONES } from './tones'
import type { Watched } from './watch'

interface Laning {
  seen: Watched
  role: Role
  state: AgentState
  engine: CycleEngine
  now: number
}

export function Lane({ seen, role, state, engine, now }: Laning) {
  const steps = underWay(engine, role)
  return (
    <section class={`card lane tone-${ROLE_TONES[state.status]} ${state.status}`} aria-label={roleTitle(role)}>
      <header>
        <h3>
          <abbr class="mono" title={roleTitle(role)}>
            {role}
          </abbr>{' '}
          <a href={seen.place.href(`transcript-${role}`)} title={t('lane.transcript', { role: roleTitle(role) })}>
            {roleTitle(role)}
          </a>
        </h3>
        <span class={`badge tone-${ROLE_TONES[state.status]}`}>
          <i class={`dot${state.status === 'running' ? ' live' : ''}`} aria-hidden="true" />
          {statusWords(state.status)}
        </span>
      </header>
      <ul class="lane-doing">
        {steps.map(({ step, task, at }) => (
          <li key={`${step} ${task}`}>
            {stepWords(step)} {task && <code>{task}</code>}
            <span class="muted"> {duration(Math.max(0, now - Date.parse(at)) / 1000)}</span>
          </li>
        ))}
        {steps.length === 0 && <li class="muted">{t(restWords(state, engine.called.includes(role)))}</li>}
      </ul>
      <p class={`lane-said small${state.error ? ' bad' : ''}`} title={state.error ?? state.last_message ?? undefined}>
        <Ticked text={state.error ?? state.last_message ?? ''} />
      </p>
      <footer class="row small muted">
        <span>{engine.roles?.[role] ?? engine.settings.agent}</span>
        <span>{t('lane.files', { n: state.output_files.length })}</span>
        <span>{t('lane.iterations', { n: state.iterations_completed })}</span>
      </footer>
    </section>
  )
}

/** Why it does nothing at the moment. */
function restWords(state: AgentState, isCalled: boolean): `lane.${'done' | 'failed' | 'waits' | 'idle'}` {
  if (state.status === 'completed') return 'lane.done'
  if (state.status === 'failed') return 'lane.failed'
  return state.status === 'waiting' || isCalled ? 'lane.waits' : 'lane.idle'
}
