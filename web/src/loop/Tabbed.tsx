// The sections of a loop's page.
import type { ComponentChildren } from 'preact'
import type { LoopView } from '../api/types'
import { t } from '../run/i18n'
import { Journal } from '../run/Journal'
import { Tabs } from '../run/Tabs'
import { Transcript } from '../run/Transcript'
import { Causes } from './Causes'
import { Changes } from './Changes'
import { Files } from './Files'
import { Overview } from './Overview'
import { Tasks } from './Tasks'
import { Tests } from './Tests'
import { Timeline } from './Timeline'
import type { Section, Watched } from './watch'

const TABS = ['overview', 'timeline', 'tasks', 'changes', 'tests', 'causes', 'transcript', 'journal', 'files'] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, (section: Section) => ComponentChildren>> = {
  overview: (section) => <Overview {...section} />,
  timeline: (section) => <Timeline {...section} />,
  tasks: (section) => <Tasks {...section} />,
  changes: (section) => <Changes {...section} />,
  tests: (section) => <Tests {...section} />,
  causes: (section) => <Causes {...section} />,
  transcript: ({ seen, view }) => <Transcript talk={seen.talk.value} status={view.loop.status} isLive={view.live} />,
  journal: (section) => <Journal {...section} />,
  files: (section) => <Files {...section} />,
}

/** What there is of it, where a number says something before the tab is opened. */
const COUNTS: Readonly<Partial<Record<Tab, (view: LoopView) => string>>> = {
  timeline: ({ loop }) => String(loop.current_iteration || ''),
  tasks: ({ loop }) => taskCount(loop.engine.tasks.length, loop.skill_state?.develop.completed ?? 0),
  tests: ({ loop }) => String(loop.skill_state?.validate.test_results.length || ''),
  causes: ({ loop }) => String(loop.skill_state?.debug.hypotheses_count || ''),
}

export function Tabbed({ seen, view, tab }: { seen: Watched; view: LoopView; tab: string | undefined }) {
  const [name = '', ...detail] = (tab ?? '').split('-')
  const open = TABS.find((known) => known === name) ?? 'overview'
  const tabs = TABS.map((name) => ({ name, words: t(`tab.${name}`), count: COUNTS[name]?.(view) }))
  return (
    <Tabs label={t('tabs.label')} tabs={tabs} open={open} href={seen.place.href}>
      {PANELS[open]({ seen, view, detail: detail.join('-') || undefined })}
    </Tabs>
  )
}

function taskCount(all: number, completed: number): string {
  return all ? `${completed}/${all}` : ''
}
