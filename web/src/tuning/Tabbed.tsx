// The sections of a tuning session's page.
import type { ComponentChildren } from 'preact'
import type { TuningView } from '../api/tunings'
import { Awaited } from '../run/absent'
import { Journal } from '../run/Journal'
import { Prose } from '../run/Prose'
import { useHeld } from '../run/resource'
import { Tabs } from '../run/Tabs'
import { Transcript } from '../run/Transcript'
import { Findings } from './Findings'
import { Fixes } from './Fixes'
import { Graph } from './Graph'
import { History } from './History'
import { t } from './i18n'
import { Overview } from './Overview'
import { Tokens } from './Tokens'
import type { Section, Watched } from './watch'

const TABS = ['overview', 'findings', 'fixes', 'graph', 'tokens', 'report', 'history', 'transcript', 'journal'] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, (section: Section) => ComponentChildren>> = {
  overview: (section) => <Overview {...section} />,
  findings: (section) => <Findings {...section} />,
  fixes: (section) => <Fixes {...section} />,
  graph: (section) => <Graph {...section} />,
  tokens: (section) => <Tokens {...section} />,
  report: (section) => <Report {...section} />,
  history: (section) => <History {...section} />,
  transcript: ({ seen, view }) => (
    // One that has not begun is, to those words, like a loop that was only created.
    <Transcript
      talk={seen.talk.value}
      status={view.tuning.status === 'pending' ? 'created' : view.tuning.status}
      isLive={view.live}
    />
  ),
  journal: ({ seen }) => <Journal seen={seen} />,
}

const COUNTS: Readonly<Partial<Record<Tab, (view: TuningView) => string>>> = {
  findings: ({ tuning }) => String(tuning.engine.findings.length || ''),
  fixes: ({ tuning }) => String(tuning.proposed_fixes.length || ''),
}

export function Tabbed({ seen, view, tab }: { seen: Watched; view: TuningView; tab: string | undefined }) {
  const [name = '', ...detail] = (tab ?? '').split('-')
  const open = TABS.find((known) => known === name) ?? 'overview'
  const tabs = TABS.map((name) => ({ name, words: t(`tab.${name}`), count: COUNTS[name]?.(view) }))
  return (
    <Tabs label={t('tabs.label')} tabs={tabs} open={open} href={seen.place.href}>
      {PANELS[open]({ seen, view, detail: detail.join('-') || undefined })}
    </Tabs>
  )
}

function Report({ seen, view }: Section) {
  const held = useHeld(seen.report)
  if (view.tuning.engine.standings.length === 0) return <p class="empty">{t('report.none')}</p>
  return (
    <Awaited held={held} onRetry={seen.report.touch}>
      {({ text, truncated }) => (
        <section class="card report">
          {truncated && <p class="notice tone-warn small">{t('findings.truncated')}</p>}
          <Prose text={text} />
        </section>
      )}
    </Awaited>
  )
}
