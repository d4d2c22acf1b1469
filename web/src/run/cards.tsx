// Cards that the pages of several kinds show.
import type { ComponentChildren } from 'preact'
import type { Query } from '../api/client'
import type { DiffAnswer, FileText, Validation } from '../api/details'
import type { Budget as BudgetState, EngineState, Proof, RunView, SkillState } from '../api/types'
import type { RunAddress } from '../app/address'
import { duration, money, number, percent } from '../ui/format'
import { Moment } from '../ui/times'
import { History } from './charts'
import { DiffView } from './DiffView'
import { t } from './i18n'
import { Loaded } from './Loaded'
import { type BudgetName, percentOf, type Spent, spentOf } from './limits'
import { Card, Fact, Scroll } from './panels'
import { Strength } from './Result'
import { type Resource, useResource } from './resource'
import { type RunEvents, usePart } from './resources'
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
    <Card id="now" title={t(isOver ? 'now.before' : 'now.title')} head={children}>
      <LiveTranscript transcript={run.transcript.value} status={view.run.status} isLive={view.live} />
    </Card>
  )
}

/** A name and its value; what has none is left out. */
export type SettingLine = readonly [name: string, value: string | null | undefined | false, look?: 'mono']

/** What a run was started with. */
export function SettingsCard({ lines }: { lines: readonly SettingLine[] }) {
  return (
    <Card id="settings" title={t('settings.title')}>
      <dl class="card-body facts">
        {lines.map(
          ([name, value, look]) =>
            value && (
              <Fact key={name} name={name} class={look}>
                {value}
              </Fact>
            ),
        )}
      </dl>
    </Card>
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

interface PartDiffProps {
  address: RunAddress
  rest: string
  query?: Query | undefined
  /** Where it goes on changing: read again with each. */
  rev?: number
}

/** What changed in a part of the run. */
export function PartDiff({ address, rest, query, rev }: PartDiffProps) {
  return <LoadedDiff of={usePart<DiffAnswer>(address, rest, query, rev)} />
}

interface LoadedTextProps {
  of: Resource<{ text: string; truncated: boolean }>
  name: string
  /** As it stands, though it is Markdown. */
  isRaw: boolean
  /** What is shown of Markdown, and of any other text. */
  prose?: (text: string) => string
  plain?: (text: string) => string
}

/** A text to read: Markdown as prose, anything else as it stands. */
export function LoadedText({ of, name, isRaw, prose = String, plain = String }: LoadedTextProps) {
  return (
    <Loaded of={of}>
      {({ text, truncated }) => (
        <>
          {truncated && <p class="notice tone-warn small">{t('files.truncated')}</p>}
          {name.endsWith('.md') && !isRaw ? (
            <Prose text={prose(text)} />
          ) : (
            <Scroll class="output bare" label={t('files.text', { name })}>
              {plain(text)}
            </Scroll>
          )}
        </>
      )}
    </Loaded>
  )
}

export function LoadedDiff({ of }: { of: Resource<DiffAnswer> }) {
  return <Loaded of={of}>{(answer) => <DiffView answer={answer} />}</Loaded>
}

const FORMATS: Readonly<Record<BudgetName, (amount: number) => string>> = {
  minutes: (minutes) => duration(60 * minutes),
  tokens: (tokens) => number(tokens),
  cost: money,
}

/** From here on a limit deserves attention. Percent. */
const NEAR = 80

/** What was spent, against the limits. */
export function Budget({ budget }: { budget: BudgetState }) {
  return (
    <Card id="budget" title={t('budget.title')}>
      <dl class="card-body facts">
        {spentOf(budget).map((used) => (
          <Line key={used.name} used={used} />
        ))}
      </dl>
    </Card>
  )
}

function Line({ used: { name, spent, limit } }: { used: Spent }) {
  const format = FORMATS[name]
  const share = spent !== null && limit !== null ? percentOf(spent, limit) : null
  return (
    <Fact name={t(`budget.${name}`)}>
      {spent === null ? t('budget.unknown') : format(spent)}
      {limit !== null && <span class="muted"> / {format(limit)}</span>}
      {share !== null && (
        <span class={`meter${share >= NEAR ? ' near' : ''}`} aria-hidden="true">
          <span style={{ width: `${share}%` }} />
        </span>
      )}
    </Fact>
  )
}

interface IncidentLine {
  kind: string
  message: string
  at: string
}

/** What was put back, not believed, or changed in the tests; and what gave no result. */
export function Incidents({
  incidents,
  errors,
}: {
  incidents: EngineState['incidents']
  errors: SkillState['errors']
}) {
  const lines: IncidentLine[] = [
    ...incidents,
    ...errors.map(({ action, message, timestamp }) => ({ kind: action, message, at: timestamp })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (!lines.length) return null
  return (
    <Card id="incidents" title={t('incidents.title')} head={<span class="badge tone-warn">{lines.length}</span>}>
      <ul class="card-body incidents">
        {lines.map(({ kind, message, at }) => (
          <li key={`${at}${kind}${message}`}>
            <p class="row spread small">
              <strong>{kind.replaceAll('_', ' ')}</strong>
              <Moment class="muted" at={at} />
            </p>
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** All there is to read of an ended run: its summary.md. `rest`: where that is, below the run's address. */
export function Summary({ address, rest, rev }: { address: RunAddress; rest: string; rev: number }) {
  // A stop is committed before its summary is written; each later change is the time for another look.
  const { data } = useResource(usePart<FileText>(address, rest, {}, rev))
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

/** What the run was asked for. */
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
