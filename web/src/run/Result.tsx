// How a run ended: the outcome with its proof, what it changed, which tests show it, and what to do next.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { ReopenDialog } from '../actions/ReopenDialog'
import type { Cycle } from '../api/cycles'
import type { DiffAnswer } from '../api/details'
import type { EngineState, Proof, Status, Survivor } from '../api/types'
import { commandsAt, type RunAddress, type SendCommand } from '../app/address'
import { duration, money, number, percent } from '../ui/format'
import { lookOf } from '../ui/tones'
import { type FileDiff, parseDiff } from './diff'
import { t } from './i18n'
import type { LimitedRun } from './limits'
import { Card } from './panels'
import { Rivals } from './Rivals'
import { type Resource, useResource } from './resource'
import type { Patch } from './rivals'
import { Ticked } from './text'

/** Files, tests and remarks that are shown of a longer list. */
const SHOWN = 8

/** What a person may set where no test can show the goal. */
const CHOICES = ['preserve', 'none'] as const
type Choice = (typeof CHOICES)[number]

interface ResultProps {
  address: RunAddress
  diff: Resource<DiffAnswer>
  of: LimitedRun & { status: Status; engine: EngineState | Cycle['engine']; failure_reason?: string | null }
  /** Of those that ran in the last validation. */
  tests: { passed: number; all: number }
  /** Edits that were found by measuring. */
  patches: readonly Patch[]
}

export function Result({ address, diff, of, tests, patches }: ResultProps) {
  const { data, problem } = useResource(diff)
  const files = useMemo(() => parseDiff(data?.diff ?? ''), [data?.diff])
  const { outcome, proof, budget } = of.engine
  if (!outcome) return null
  const shown = lookOf({ status: of.status, outcome, parked_until: null })
  const isDone = of.status === 'completed' && tests.all > 0
  const sentences = isDone ? [testsInWords(tests), proof && inWords(proof)] : [of.failure_reason]
  return (
    <Card id="result" title={shown.words} head={<span class="muted small">{spent(budget)}</span>} class="card result">
      <div class="card-body stack">
        <p class="verdict">{sentences.filter(Boolean).join('; ')}</p>
        <Listed
          title={t('result.changed')}
          items={files}
          one={(file) => <Changed file={file} />}
          more={address.href('changes')}
        />
        {problem && <p class="muted">{problem.message}</p>}
        {data && !files.length && <p class="muted">{t('result.unchanged')}</p>}
        {proof && <Shown proof={proof} more={address.href('tests')} />}
        {patches.length > 0 && <h3>{t('result.patch')}</h3>}
        {patches.map(({ place: where, description, comparison }) => (
          <div key={where}>
            <p>
              <code>{where}</code> <Ticked text={description} />
            </p>
            <Rivals comparison={comparison} send={commandsAt(address)} />
          </div>
        ))}
        {outcome === 'unproven' && <Unproven send={commandsAt(address)} of={of} />}
      </div>
    </Card>
  )
}

function Changed({ file }: { file: FileDiff }) {
  return (
    <>
      <code>{file.path}</code> <span class="added">+{number(file.added)}</span>{' '}
      <span class="removed">−{number(file.removed)}</span>
    </>
  )
}

function Shown({ proof, more }: { proof: Proof; more: string }) {
  const tests = proof.fail_to_pass
  return (
    <>
      <Listed title={t('result.fail_to_pass')} items={tests} one={(test) => <code>{test}</code>} more={more} />
      <Strength proof={proof} more={more} />
      {proof.missing && <Listed title={t('result.notes')} items={proof.notes} one={(note) => note} more={more} />}
    </>
  )
}

/** How much of what was changed the tests run, and how many changes of it they notice. */
export function Strength({ proof, more }: { proof: Proof; more?: string }) {
  const { fail_to_pass: tests, diff_coverage: covered, mutants, unmeasured } = proof
  if (!tests.length) return null
  const one = ({ file, line, change }: Survivor) => (
    <>
      <code>
        {file}:{line}
      </code>{' '}
      <Ticked text={change} />
    </>
  )
  return (
    <>
      {covered !== null && covered !== undefined && (
        <p class="muted">{t('result.diff_coverage', { share: percent(covered) })}</p>
      )}
      {mutants && (
        <>
          <p class="muted">
            {t('result.mutants', { n: mutants.total, killed: mutants.killed })}
            {mutants.made && ` ${t('result.mutants_made', { n: mutants.made })}`}
          </p>
          <Listed title={t('result.survivors')} items={mutants.survivors ?? []} one={one} more={more} />
        </>
      )}
      {unmeasured && <p class="muted">{t('result.unmeasured', { why: unmeasured })}</p>}
    </>
  )
}

interface ListedProps<T> {
  title: string
  items: readonly T[]
  one: (item: T) => ComponentChildren
  /** Where the rest is; without it all are shown. */
  more: string | undefined
}

function Listed<T>({ title, items, one, more }: ListedProps<T>) {
  if (!items.length) return null
  return (
    <div>
      <h3>{title}</h3>
      <ul class="plain-list">
        {(more === undefined ? items : items.slice(0, SHOWN)).map((item, at) => (
          <li key={at}>{one(item)}</li>
        ))}
      </ul>
      {more !== undefined && items.length > SHOWN && <a href={more}>{t('result.more', { n: items.length - SHOWN })}</a>}
    </div>
  )
}

/** A person says that no test can show the goal, and the run ends once more, measured by that. */
function Unproven({ send, of }: { send: SendCommand; of: LimitedRun }) {
  const [asked, setAsked] = useState<Choice | null>(null)
  return (
    <div>
      <h3>{t('result.next')}</h3>
      <p>{t('result.unproven')}</p>
      <div class="row">
        {CHOICES.map((choice) => (
          <button key={choice} type="button" class="button" onClick={() => setAsked(choice)}>
            {t(`result.${choice}`)}
          </button>
        ))}
      </div>
      {asked && (
        <ReopenDialog
          title={t(`result.${asked}`)}
          words={t(`result.${asked}_words`)}
          of={of}
          reopen={(limits) => send('reopen', { ...limits, proof: asked })}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

function testsInWords({ passed, all }: ResultProps['tests']): string {
  return passed === all ? t('result.tests', { n: all }) : t('result.some_tests', { passed, n: all })
}

/** The proof in a sentence. What is missing is said in the engine's own words. */
function inWords(proof: Proof): string {
  const n = proof.fail_to_pass.length
  if (proof.missing) return proof.missing
  if (proof.kind === 'mend') return n ? t('proof.mend', { n }) : t('proof.nothing_to_mend')
  if (proof.kind !== 'change') return t(`proof.${proof.kind}`)
  return t('proof.change', { n }) + (proof.named_by ? ` (${t('proof.named_by', { who: proof.named_by })})` : '')
}

function spent(budget: EngineState['budget']): string {
  const { tokens, cost } = budget
  return [duration(budget.spent_seconds), tokens && t('timeline.tokens', { n: number(tokens) }), cost && money(cost)]
    .filter(Boolean)
    .join(' · ')
}
