// Cards that the pages of several kinds show.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { get } from '../api/client'
import type { DiffAnswer, FileText, Validation } from '../api/details'
import type { Budget as BudgetState, EngineState, Proof, RunView, SkillState } from '../api/types'
import { duration, moment, money, number, percent } from '../ui/format'
import { History } from './charts'
import { DiffView } from './DiffView'
import { t } from './i18n'
import { Loaded } from './Loaded'
import { type BudgetName, percentOf, type Spent, spentOf } from './limits'
import { Strength } from './Result'
import { createResource, type Resource, useResource } from './resource'
import type { RunEvents } from './resources'
import { LiveTranscript } from './TranscriptView'
import { Prose } from './text'

interface ActivityCardProps {
  run: RunEvents
  view: RunView<{ status: string }>
  isOver: boolean
  /** Beside the title. */
  children?: ComponentChildren
}

/** What is said and done now, or was before the end. */
export function ActivityCard({ run, view, isOver, children }: ActivityCardProps) {
  return (
    <section class="card" aria-labelledby="now-title">
      <header class="card-head">
        <h2 id="now-title">{t(isOver ? 'now.before' : 'now.title')}</h2>
        {children}
      </header>
      <LiveTranscript transcript={run.transcript.value} status={view.run.status} isLive={view.live} />
    </section>
  )
}

/** A name and its value; what has none is left out. */
export type SettingLine = readonly [name: string, value: string | null | undefined | false, look?: 'mono']

/** What a run was started with. */
export function SettingsCard({ lines }: { lines: readonly SettingLine[] }) {
  return (
    <section class="card" aria-labelledby="settings-title">
      <header class="card-head">
        <h2 id="settings-title">{t('settings.title')}</h2>
      </header>
      <dl class="card-body facts">
        {lines.map(
          ([name, value, look]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd class={look}>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}

type Settings = Pick<
  EngineState['settings'],
  'mode' | 'permissions' | 'test_command' | 'require' | 'min_coverage' | 'min_mutation_score' | 'min_diff_coverage'
>

/** The settings that loops and cycles have in common. */
export function settingLines(settings: Settings, allowsTestChanges: boolean): SettingLine[] {
  const least = (value: number | null | undefined) => (value ? percent(value) : null)
  return [
    [t('settings.mode'), t(`mode.${settings.mode}`)],
    [t('settings.permissions'), t(`permissions.${settings.permissions}`)],
    [t('settings.test_command'), settings.test_command, 'mono'],
    [t('settings.require'), t(`require.${settings.require}`)],
    [t('settings.min_coverage'), least(settings.min_coverage)],
    [t('settings.min_mutation_score'), least(settings.min_mutation_score)],
    [t('settings.min_diff_coverage'), least(settings.min_diff_coverage)],
    [t('settings.test_changes'), allowsTestChanges && t('settings.allowed')],
  ]
}

interface ValidationCardsProps {
  history: Resource<Validation[]>
  /** Why the last validation did not pass. */
  reasons: readonly string[] | undefined
  proof: Proof | null | undefined
}

/** How all validations were, and what the last one lacks. */
export function ValidationCards({ history, reasons = [], proof }: ValidationCardsProps) {
  return (
    <>
      <History of={history} />
      {reasons.length > 0 && (
        <div class="card bug">
          <h3>{t('tests.not_passed')}</h3>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {proof && <Strength proof={proof} />}
    </>
  )
}

export function LoadedDiff({ of }: { of: Resource<DiffAnswer> }) {
  return <Loaded of={of}>{(answer) => <DiffView answer={answer} />}</Loaded>
}

const SPOKEN: Readonly<Record<BudgetName, (amount: number) => string>> = {
  minutes: (minutes) => duration(60 * minutes),
  tokens: (tokens) => number(tokens),
  cost: money,
}

/** From here on a limit deserves attention. Percent. */
const NEAR = 80

export function Budget({ budget }: { budget: BudgetState }) {
  return (
    <section class="card" aria-labelledby="budget-title">
      <header class="card-head">
        <h2 id="budget-title">{t('budget.title')}</h2>
      </header>
      <dl class="card-body facts">
        {spentOf(budget).map((used) => (
          <Line key={used.name} used={used} />
        ))}
      </dl>
    </section>
  )
}

function Line({ used: { name, spent, limit } }: { used: Spent }) {
  const speak = SPOKEN[name]
  const share = spent !== null && limit !== null ? percentOf(spent, limit) : null
  return (
    <div>
      <dt>{t(`budget.${name}`)}</dt>
      <dd>
        {spent === null ? t('budget.unknown') : speak(spent)}
        {limit !== null && <span class="muted"> / {speak(limit)}</span>}
        {share !== null && (
          <span class={`meter${share >= NEAR ? ' near' : ''}`} aria-hidden="true">
            <span style={{ width: `${share}%` }} />
          </span>
        )}
      </dd>
    </div>
  )
}

interface IncidentLine {
  kind: string
  message: string
  at: string
}

export function Incidents({
  incidents,
  errors,
}: {
  incidents: EngineState['incidents']
  errors: SkillState['errors']
}) {
  const told: IncidentLine[] = [
    ...incidents,
    ...errors.map(({ action, message, timestamp }) => ({ kind: action, message, at: timestamp })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (!told.length) return null
  return (
    <section class="card" aria-labelledby="incidents-title">
      <header class="card-head">
        <h2 id="incidents-title">{t('incidents.title')}</h2>
        <span class="badge tone-warn">{told.length}</span>
      </header>
      <ul class="card-body incidents">
        {told.map(({ kind, message, at }) => (
          <li key={`${at}${kind}${message}`}>
            <p class="row spread small">
              <strong>{kind.replaceAll('_', ' ')}</strong>
              <time class="muted" dateTime={at}>
                {moment(at)}
              </time>
            </p>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `path`: where it is read. */
export function Summary({ path, rev }: { path: string; rev: number }) {
  const summary = useMemo(() => createResource(() => get<FileText>(path)), [path])
  // A stop is committed before its summary is written; each later change is the time for another look.
  useEffect(() => {
    if (rev) summary.touch()
  }, [summary, rev])
  const { data } = useResource(summary)
  if (!data) return null
  return (
    <details class="card">
      <summary class="card-head">
        <h2>{t('summary.title')}</h2>
      </summary>
      <div class="card-body">
        <Prose text={withoutTitle(data.text)} />
      </div>
    </details>
  )
}

/** Its first line is the title, which stands above already. */
function withoutTitle(text: string): string {
  return text.replace(/^# .*\n+/, '')
}

/** Shown without being asked for. */
const SHORT = 400
const FEW_LINES = 5

export function Description({ title, text }: { title: string; text: string }) {
  const words = text.trim()
  if (!words || words === title) return null
  return words.length < SHORT && words.split('\n').length <= FEW_LINES ? (
    <div class="about">
      <Prose text={words} />
    </div>
  ) : (
    <details class="about">
      <summary>{t('overview.description')}</summary>
      <Prose text={words} />
    </details>
  )
}
