// A row of buttons: what most people want first, rare deeds folded away. What is not done at once asks first.
import './actions.css'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { t } from '../i18n'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import type { Offer } from './possible'

interface Acting<Deed extends string> {
  offer: Offer<Deed>
  /** The first one stands out. */
  urges: boolean
  words: (deed: Deed) => string
  hint?: (deed: Deed) => string | undefined
  dangerous: readonly Deed[]
  /** Done at once; any other deed opens its dialog. */
  atOnce: Partial<Record<Deed, () => Promise<unknown>>>
  dialog: (deed: Deed, close: () => void) => ComponentChildren
}

export function Bar<Deed extends string>({ offer, urges, atOnce, dialog, ...looks }: Acting<Deed>) {
  const [asking, setAsking] = useState<Deed | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const act = (deed: Deed) => {
    clear()
    const now = atOnce[deed]
    if (now) void run(now)
    else setAsking(deed)
  }
  return (
    <fieldset class="actions" aria-label={t('do.label')}>
      <div class="row">
        {offer.first.map((deed, n) => (
          <DeedButton key={deed} deed={deed} {...looks} primary={n === 0 && urges} busy={busy} onAct={act} />
        ))}
        {offer.rest.length > 0 && <More deeds={offer.rest} {...looks} busy={busy} onAct={act} />}
      </div>
      <ProblemNotice problem={problem} />
      {asking !== null && dialog(asking, () => setAsking(null))}
    </fieldset>
  )
}

type Looks<Deed extends string> = Pick<Acting<Deed>, 'words' | 'hint' | 'dangerous'> & {
  busy: boolean
  onAct: (deed: Deed) => void
}

function DeedButton<Deed extends string>({
  deed,
  words,
  hint,
  dangerous,
  primary = false,
  plain = false,
  busy,
  onAct,
}: Looks<Deed> & { deed: Deed; primary?: boolean; plain?: boolean }) {
  const look = [primary && 'primary', plain && 'plain', dangerous.includes(deed) && 'danger'].filter(Boolean).join(' ')
  return (
    <button type="button" class={`button ${look}`} disabled={busy} title={hint?.(deed)} onClick={() => onAct(deed)}>
      {words(deed)}
    </button>
  )
}

/** Rare deeds, folded away. */
function More<Deed extends string>({ deeds, onAct, ...looks }: Looks<Deed> & { deeds: readonly Deed[] }) {
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
            {...looks}
            plain
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
