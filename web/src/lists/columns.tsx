// What the lists of several kinds show of a run.
import type { BriefTests } from '../api/types'
import { t } from '../i18n'
import { Meter } from '../ui/Meter'

export function TestsColumn({ tests }: { tests: (Pick<BriefTests, 'total' | 'failed'> & { passed?: number }) | null }) {
  if (tests === null) return <div class="list-tests small muted">{t('loops.no_tests')}</div>
  const { total, failed, passed = total - failed } = tests
  return (
    <div class="list-tests">
      <Meter
        total={total}
        parts={[
          { tone: 'good', count: passed },
          { tone: 'bad', count: failed },
        ]}
      />
      <span class="small">{t('loops.tests', { passed, n: total })}</span>
    </div>
  )
}

export function IterationCount({ at, most, isMuted = false }: { at: number; most: number; isMuted?: boolean }) {
  return <span class={isMuted ? 'small muted' : 'small'}>{t('loops.iterations', { at, most })}</span>
}

export function TaskCount({ done, all, isMuted = false }: { done: number; all: number; isMuted?: boolean }) {
  return <span class={isMuted ? 'small muted' : 'small'}>{t('loops.tasks', { done, n: all })}</span>
}
