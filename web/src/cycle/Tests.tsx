// The last validation of a cycle, and how it was in those before.
import { useState } from 'preact/hooks'
import type { Baseline } from '../api/cycles'
import { ValidationCards } from '../run/cards'
import { Filter } from '../run/Filter'
import { t as run } from '../run/i18n'
import { number, percent } from '../ui/format'
import { Moment } from '../ui/times'
import { t } from './i18n'
import type { Section } from './parts'

export function Tests({ resources, view: { run: cycle } }: Section) {
  const { test_results: results, engine } = cycle
  return (
    <div class="stack">
      <ValidationCards
        history={resources.parts.history}
        reasons={engine.last_validation?.reasons}
        proof={engine.proof}
      />
      {results ? (
        <section class="stack" aria-labelledby="tests-title">
          <header class="row spread">
            <h2 id="tests-title">{run('tests.last')}</h2>
            <span class="muted small">
              <span class="mono">{results.version}</span> · <Moment at={results.last_run} />
            </span>
          </header>
          <p>
            {t('tests.counts', {
              n: results.total_tests,
              failed: number(results.failed_tests.length),
              rate: percent(results.pass_rate),
              coverage: percent(results.coverage),
            })}
          </p>
          {engine.baseline && <p class="muted">{t('tests.before', countsOf(engine.baseline))}</p>}
          {results.failed_tests.length > 0 && <Failed tests={results.failed_tests} />}
        </section>
      ) : (
        <p class="empty">{run('tests.empty')}</p>
      )}
    </div>
  )
}

/** Of the first run of all. */
function countsOf({ tests = {} }: Baseline): { n: number; failed: number } {
  const all = Object.values(tests)
  return { n: all.length, failed: all.filter(({ status }) => status === 'failed').length }
}

const AT_ONCE = 200

function Failed({ tests }: { tests: readonly string[] }) {
  const [words, setWords] = useState('')
  const [most, setMost] = useState(AT_ONCE)
  const wanted = words.trim().toLowerCase()
  const shown = tests.filter((name) => name.toLowerCase().includes(wanted))
  return (
    <>
      {tests.length > 10 && (
        <Filter<'failed'>
          label={run('tests.search')}
          words={words}
          onWords={setWords}
          choices={[['failed', run('tests.failed'), tests.length]]}
          choice="failed"
          onChoice={() => {}}
        />
      )}
      {shown.length === 0 && <p class="empty">{run('tests.none_found')}</p>}
      <div class="suite">
        <ul aria-label={run('tests.failed')}>
          {shown.slice(0, most).map((name) => (
            <li key={name} class="test failed">
              <span class="mark" aria-hidden="true">
                ✗
              </span>
              <span class="name mono">{name}</span>
            </li>
          ))}
        </ul>
      </div>
      {shown.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 5 * AT_ONCE)}>
          {run('tests.more', { n: shown.length - most })}
        </button>
      )}
    </>
  )
}
