// What can be done with one loop now: the bar of buttons on its page.
import './actions.css'
import { useRef, useState } from 'preact/hooks'
import { command, deleteLoop } from '../api/loops'
import type { LoopRef, LoopView } from '../api/types'
import { go, LOOPS_HREF } from '../app/router'
import { t } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { type Deed, offered, standing } from './possible'
import { ReopenDialog } from './ReopenDialog'

type Sure = 'stop' | 'delete' | 'recover'

/** Done at once. What is not here asks first. */
const AT_ONCE: Partial<Record<Deed, (at: LoopRef) => Promise<unknown>>> = {
  start: (at) => command(at, 'start'),
  pause: (at) => command(at, 'pause'),
  pause_now: (at) => command(at, 'pause', { now: true }),
  keep_paused: (at) => command(at, 'pause'),
  resume: (at) => command(at, 'resume'),
  take_up: (at) => command(at, 'resume'),
}

const SURE: Record<Sure, (at: LoopRef) => Promise<unknown>> = {
  stop: (at) => command(at, 'stop'),
  recover: (at) => command(at, 'recover'),
  delete: async (at) => {
    await deleteLoop(at)
    go(LOOPS_HREF)
  },
}

const DANGEROUS: readonly Deed[] = ['stop', 'delete']

export function Actions({ at, view }: { at: LoopRef; view: LoopView }) {
  const [asking, setAsking] = useState<Sure | 'reopen' | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const how = standing(view.loop, view.live)
  const { first, rest } = offered(how)

  const act = (deed: Deed) => {
    clear()
    const now = AT_ONCE[deed]
    if (now) void run(() => now(at))
    else if (deed === 'stop' || deed === 'delete' || deed === 'recover' || deed === 'reopen') setAsking(deed)
  }
  const close = () => setAsking(null)

  return (
    <fieldset class="actions" aria-label={t('do.label')}>
      <div class="row">
        {first.map((deed, n) => (
          <DeedButton key={deed} deed={deed} primary={n === 0 && how !== 'running'} busy={busy} onAct={act} />
        ))}
        {rest.length > 0 && <More deeds={rest} busy={busy} onAct={act} />}
      </div>
      <ProblemNotice problem={problem} />
      {asking === 'reopen' && <ReopenDialog at={at} loop={view.loop} onClose={close} />}
      {asking !== null && asking !== 'reopen' && (
        <Confirm
          title={t(`do.${asking}_title`)}
          words={t(`do.${asking}_words`)}
          deed={t(`do.${asking}`)}
          act={() => SURE[asking](at)}
          onClose={close}
        />
      )}
    </fieldset>
  )
}

interface DeedButtonProps {
  deed: Deed
  primary?: boolean
  plain?: boolean
  busy: boolean
  onAct: (deed: Deed) => void
}

function DeedButton({ deed, primary = false, plain = false, busy, onAct }: DeedButtonProps) {
  const look = [primary && 'primary', plain && 'plain', DANGEROUS.includes(deed) && 'danger'].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      class={`button ${look}`}
      disabled={busy}
      title={deed === 'pause_now' ? t('do.pause_now_hint') : undefined}
      onClick={() => onAct(deed)}
    >
      {t(`do.${deed}`)}
    </button>
  )
}

/** Rare deeds, folded away. */
function More({ deeds, busy, onAct }: { deeds: readonly Deed[]; busy: boolean; onAct: (deed: Deed) => void }) {
  const folded = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (folded.current) folded.current.open = false
  }
  return (
    <details
      class="rest"
      ref={folded}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        close()
        folded.current?.querySelector('summary')?.focus()
      }}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) close()
      }}
    >
      <summary class="button">{t('do.more')}</summary>
      <div class="card">
        {deeds.map((deed) => (
          <DeedButton
            key={deed}
            deed={deed}
            plain
            busy={busy}
            onAct={(picked) => {
              close()
              onAct(picked)
            }}
          />
        ))}
      </div>
    </details>
  )
}
