// The last validation, failing tests first, and how it was in those before.
import { useState } from 'preact/hooks'
import type { TestResult } from '../api/details'
import { ValidationCards } from '../run/cards'
import { Filter } from '../run/Filter'
import { t } from '../run/i18n'
import { Loaded } from '../run/Loaded'
import { Fold, Scroll } from '../run/panels'
import { duration } from '../ui/format'
import { Moment } from '../ui/times'
import type { Section } from './parts'
import { countsOf, filterTests, groupBySuite, type TestChoice } from './tests'

const CHOICES: readonly TestChoice[] = ['all', 'failed', 'passed', 'skipped']
const AT_ONCE = 200

export function Tests({ resources, view }: Section) {
  const { last_validation: last, proof } = view.run.engine
  return (
    <div class="stack">
      <ValidationCards history={resources.parts.history} reasons={last?.reasons} proof={proof} />
      <Loaded of={resources.parts.tests}>
        {(all) => (all.length ? <List all={all} at={last?.at} /> : <p class="empty">{t('tests.empty')}</p>)}
      </Loaded>
    </div>
  )
}

function List({ all, at }: { all: readonly TestResult[]; at: string | undefined }) {
  const [words, setWords] = useState('')
  const [shown, setShown] = useState<TestChoice>('all')
  const [most, setMost] = useState(AT_ONCE)
  const counts = countsOf(all)
  const tests = filterTests(all, words, shown)
  return (
    <section class="stack" aria-labelledby="tests-title">
      <header class="row spread">
        <h2 id="tests-title">{t('tests.last')}</h2>
        {at && <Moment class="muted small" at={at} />}
      </header>
      <Filter
        label={t('tests.search')}
        words={words}
        onWords={setWords}
        choices={CHOICES.map((name) => [name, t(`tests.${name}`), counts[name]] as const)}
        choice={shown}
        onChoice={setShown}
      />
      {tests.length === 0 && <p class="empty">{t('tests.none_found')}</p>}
      {groupBySuite(tests.slice(0, most)).map(({ name, tests: own }) => (
        <section key={name} class="suite">
          {name && <h3 class="mono">{name}</h3>}
          <ul>
            {own.map((test) => (
              <OneTest key={`${test.suite}::${test.test_name}`} test={test} />
            ))}
          </ul>
        </section>
      ))}
      {tests.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 5 * AT_ONCE)}>
          {t('tests.more', { n: tests.length - most })}
        </button>
      )}
    </section>
  )
}

const MARKS: Readonly<Record<TestResult['status'], string>> = { passed: '✓', failed: '✗', skipped: '–' }

function OneTest({ test }: { test: TestResult }) {
  const line = (
    <>
      <span class="mark" aria-hidden="true">
        {MARKS[test.status]}
      </span>
      <span class="sr-only">{t(`tests.${test.status}`)}</span>
      <span class="name">{test.test_name}</span>
      <span class="took">{duration(test.duration_ms / 1000)}</span>
    </>
  )
  const output = test.stack_trace || test.error_message
  if (!output) return <li class={`test ${test.status}`}>{line}</li>
  const summary = (
    <>
      {line}
      {test.error_message && <span class="error">{test.error_message.split('\n', 1)[0]}</span>}
    </>
  )
  return (
    <li class={`test ${test.status}`}>
      <Fold summary={summary}>
        <Scroll class="output" label={t('tests.output', { test: test.test_name })}>
          {[test.error_message, test.stack_trace].filter(Boolean).join('\n\n')}
        </Scroll>
      </Fold>
    </li>
  )
}
