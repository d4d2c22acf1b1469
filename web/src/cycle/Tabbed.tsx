// The sections of a cycle's page.
import type { ComponentChildren } from 'preact'
import { type CycleView, ROLES } from '../api/cycles'
import { Journal } from '../run/Journal'
import { Tabs } from '../run/Tabs'
import { Transcript } from '../run/Transcript'
import { Changes } from './Changes'
import { Coordination } from './Coordination'
import { Discoveries } from './Discoveries'
import { Documents } from './Documents'
import { Iterations } from './Iterations'
import { roleTitle, t } from './i18n'
import { Overview } from './Overview'
import { PlanTab } from './PlanTab'
import { Tests } from './Tests'
import { Timeline } from './Timeline'
import type { Section, Watched } from './watch'

const TABS = [
  'overview',
  'iterations',
  'plan',
  'documents',
  'coordination',
  'discoveries',
  'tests',
  'changes',
  'timeline',
  'transcript',
  'journal',
] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, (section: Section) => ComponentChildren>> = {
  overview: (section) => <Overview {...section} />,
  iterations: (section) => <Iterations {...section} />,
  plan: (section) => <PlanTab {...section} />,
  documents: (section) => <Documents {...section} />,
  coordination: (section) => <Coordination {...section} />,
  discoveries: (section) => <Discoveries {...section} />,
  tests: (section) => <Tests {...section} />,
  changes: (section) => <Changes {...section} />,
  timeline: (section) => <Timeline {...section} />,
  transcript: ({ seen, view, detail }) => (
    <Transcript
      key={detail}
      talk={seen.talk.value}
      status={view.cycle.status}
      isLive={view.live}
      roles={ROLES.map((role) => [role, roleTitle(role)] as const)}
      {...(detail && { role: detail })}
    />
  ),
  journal: ({ seen }) => <Journal seen={seen} />,
}

/** What there is of it, where a number says something before the tab is opened. */
const COUNTS: Readonly<Partial<Record<Tab, (view: CycleView) => string>>> = {
  iterations: ({ cycle }) => String(cycle.iterations.length || ''),
  plan: ({ cycle }) => {
    const tasks = cycle.plan?.tasks ?? []
    return tasks.length ? `${tasks.filter(({ status }) => status === 'completed').length}/${tasks.length}` : ''
  },
  coordination: ({ cycle }) => {
    const { pending_decisions, blockers } = cycle.coordination
    const open = [...pending_decisions.filter(({ status }) => status === 'pending'), ...blockers.filter(isOpen)]
    return String(open.length || '')
  },
  tests: ({ cycle }) => String(cycle.test_results?.total_tests || ''),
}

export function Tabbed({ seen, view, tab }: { seen: Watched; view: CycleView; tab: string | undefined }) {
  const [name = '', ...detail] = (tab ?? '').split('-')
  const open = TABS.find((known) => known === name) ?? 'overview'
  const tabs = TABS.map((name) => ({ name, words: t(`tab.${name}`), count: COUNTS[name]?.(view) }))
  return (
    <Tabs label={t('tabs.label')} tabs={tabs} open={open} href={seen.place.href}>
      {PANELS[open]({ seen, view, detail: detail.join('-') || undefined })}
    </Tabs>
  )
}

function isOpen({ status }: { status: string }): boolean {
  return status === 'open'
}
