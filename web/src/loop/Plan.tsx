// The live plan: what is done, folded to a line each, what is under way, and what is still to come.
import { Awaited } from '../run/absent'
import { t } from '../run/i18n'
import { useHeld } from '../run/resource'
import type { PlanLine } from '../run/shapes'
import type { Watched } from './watch'

/** On a terminal it shows the depth; here the indent does. */
const ARROW = /^→ /
const MARKS: Readonly<Record<PlanLine['status'], string>> = { completed: '✓', in_progress: '▸', pending: '○' }

export function Plan({ seen }: { seen: Watched }) {
  const plan = useHeld(seen.plan)
  return (
    <section class="card" aria-labelledby="plan-title">
      <header class="card-head">
        <h2 id="plan-title">{t('plan.title')}</h2>
      </header>
      <div class="card-body">
        <Awaited held={plan} onRetry={seen.plan.touch}>
          {(lines) => (
            <ol class="plan">
              {lines.map((line, at) => (
                <li key={at} class={line.status} style={{ paddingInlineStart: `${line.depth * 16}px` }}>
                  <span class="mark" aria-hidden="true">
                    {MARKS[line.status]}
                  </span>
                  <span>
                    {line.content.replace(ARROW, '')}
                    <span class="sr-only"> ({t(`plan.${line.status}`)})</span>
                  </span>
                </li>
              ))}
            </ol>
          )}
        </Awaited>
      </div>
    </section>
  )
}
