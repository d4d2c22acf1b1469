// The fixes: each with its diff, where it stands and why; chosen among where the session waits for that.
import { useState } from 'preact/hooks'
import type { Fix, Tuning } from '../api/tunings'
import { commandsAt } from '../app/address'
import { DiffView } from '../run/DiffView'
import { Fact } from '../run/panels'
import { Confirm } from '../ui/Confirm'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { canRollBack, diffOf, stateOf } from './findings'
import { t } from './i18n'
import type { Section, TuningResources, TuningView } from './parts'
import { FIX_TONES } from './tones'

export function Fixes({ resources, view, detail }: Section) {
  const { run: tuning } = view
  const options = tuning.status === 'running' ? (tuning.engine.waiting?.options ?? []) : []
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  if (tuning.proposed_fixes.length === 0) {
    return <p class="empty">{t(tuning.engine.level === 'none' ? 'fixes.only_diagnoses' : 'fixes.empty')}</p>
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  // What waits comes first; else the order in which they were proposed.
  const fixes = tuning.proposed_fixes.toSorted(
    (a, b) => Number(options.includes(b.id)) - Number(options.includes(a.id)),
  )
  return (
    <div class="stack">
      {options.length > 0 && <Choosing resources={resources} options={options} chosen={chosen} onChoose={setChosen} />}
      {fixes.map((fix) => (
        <OneFix
          key={fix.id}
          resources={resources}
          view={view}
          fix={fix}
          isOpen={fix.id === detail || fixes.length <= 3 || options.includes(fix.id)}
          isChosen={options.includes(fix.id) ? chosen.has(fix.id) : null}
          onToggle={() => toggle(fix.id)}
        />
      ))}
    </div>
  )
}

interface ChoosingProps {
  resources: TuningResources
  options: readonly string[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

function Choosing({ resources, options, chosen, onChoose }: ChoosingProps) {
  const { busy, problem, run } = useCommand()
  const taken = options.filter((id) => chosen.has(id))
  const send = () => void run(() => commandsAt(resources.address)('choose', { fixes: taken }))
  return (
    <section class="asked card tone-warn" aria-label={t('fixes.choose_title')}>
      <h2>{t('fixes.choose_title')}</h2>
      <p>{t('fixes.choose_words', { n: options.length })}</p>
      <div class="row">
        <button type="button" class={taken.length ? 'button primary' : 'button'} disabled={busy} onClick={send}>
          {taken.length ? t('fixes.apply', { n: taken.length }) : t('fixes.apply_none')}
        </button>
        <button type="button" class="button plain" onClick={() => onChoose(new Set(options))}>
          {t('fixes.all')}
        </button>
        <button type="button" class="button plain" onClick={() => onChoose(new Set())}>
          {t('fixes.clear')}
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </section>
  )
}

interface OneFixProps {
  resources: TuningResources
  view: TuningView
  fix: Fix
  isOpen: boolean
  /** Null where there is nothing to choose. */
  isChosen: boolean | null
  onToggle: () => void
}

function OneFix({ resources, view, fix, isOpen, isChosen, onToggle }: OneFixProps) {
  const { run: tuning } = view
  const [asks, setAsks] = useState(false)
  const { state, why } = stateOf(tuning, fix.id)
  const level = tuning.engine.proposals?.[fix.id]?.level
  return (
    <article class="card fix" aria-labelledby={`title-${fix.id}`}>
      <header class="fix-head">
        {isChosen !== null && (
          <input type="checkbox" checked={isChosen} onChange={onToggle} aria-label={t('fixes.take', { id: fix.id })} />
        )}
        <div class="fix-words">
          <h3 id={`title-${fix.id}`}>{fix.description}</h3>
          <p class="row small">
            <code>{fix.id}</code>
            <span class={`badge tone-${FIX_TONES[state]}`}>{t(`fix.${state}`)}</span>
            {level && <span class="muted">{t(`origin.${level}`)}</span>}
            <span class="muted">
              {t('fixes.risk')}: {t(`risk.${fix.risk}`)}
            </span>
            <span class="muted mono">{fix.strategy}</span>
          </p>
          {why && state !== 'refused' && <p class="notice tone-idle small">{why}</p>}
        </div>
        {canRollBack(tuning, fix.id) && (
          <button type="button" class="button" onClick={() => setAsks(true)}>
            {t('fixes.roll_back')}
          </button>
        )}
      </header>
      <details class="fix-body" open={isOpen}>
        <summary class="small">{t('fixes.diff', { id: fix.id })}</summary>
        <Why fix={fix} issues={tuning.issues} />
        {diffOf(fix) ? (
          <DiffView answer={{ diff: diffOf(fix), truncated: false }} isWrapped />
        ) : (
          <p class="muted small">{t('fixes.no_diff')}</p>
        )}
      </details>
      {asks && (
        <Confirm
          title={t('fixes.roll_back_title', { id: fix.id })}
          words={t('fixes.roll_back_words')}
          command={t('fixes.roll_back')}
          act={() => commandsAt(resources.address)(`fixes/${encodeURIComponent(fix.id)}/rollback`)}
          onClose={() => setAsks(false)}
        />
      )}
    </article>
  )
}

function Why({ fix, issues }: { fix: Fix; issues: Tuning['issues'] }) {
  const mended = issues.filter(({ id }) => fix.issue_ids.includes(id))
  return (
    <dl class="facts wide">
      {mended.map(({ id, description }) => (
        <Fact key={id} name={t('fixes.mends')}>
          <code>{id}</code> {description}
        </Fact>
      ))}
      {fix.rationale && <Fact name={t('fixes.rationale')}>{fix.rationale}</Fact>}
      {fix.estimated_impact && <Fact name={t('fixes.impact')}>{fix.estimated_impact}</Fact>}
    </dl>
  )
}
