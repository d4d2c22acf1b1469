// The plan: as a graph of what waits for what, or as a list; and the task that was picked.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Plan, PlanStatus, PlanTask } from '../api/cycles'
import { GraphSheet } from '../run/GraphSheet'
import { type Link, layOutGraph } from '../run/graph'
import { Fact } from '../run/panels'
import { moment } from '../ui/format'
import { roleTitle, statusWords, t } from './i18n'
import type { CycleView, Section } from './parts'
import { parseStepKey } from './steps'
import { PLAN_TONES } from './tones'

/** More tasks are drawn smaller. */
const MANY = 24
const LARGE = { width: 204, height: 72 }
const SMALL = { width: 168, height: 48 }
/** On a phone a graph is a keyhole: the list is shown at first. */
const PHONE = '(max-width: 640px)'

/** Beside the colour, for whoever cannot tell colours apart. */
const MARKS: Record<PlanStatus, string> = { pending: '○', in_progress: '▸', completed: '✓', blocked: '✕' }

type Look = 'graph' | 'list'

export function PlanTab({ view }: Section) {
  const { plan } = view.run
  if (!plan || plan.tasks.length === 0) return <p class="empty">{t('plan.empty')}</p>
  return <Planned view={view} plan={plan} />
}

function Planned({ view, plan }: { view: CycleView; plan: Plan }) {
  const [look, setLook] = useState<Look>(() => (window.matchMedia(PHONE).matches ? 'list' : 'graph'))
  // What is under way when the page is opened; whoever reads on is not carried to the next one.
  const [picked, setPicked] = useState(() => plan.tasks.find(({ status }) => status === 'in_progress')?.id ?? null)
  const task = plan.tasks.find(({ id }) => id === picked) ?? plan.tasks[0]
  return (
    <section class="stack" aria-label={t('tab.plan')}>
      <header class="row spread">
        <p class="muted small">
          <span class="mono">{plan.version}</span> · {t('plan.tasks', { n: plan.tasks.length })} ·{' '}
          {plan.total_estimated_effort}
          {plan.critical_path.length > 1 && ` · ${t('plan.path', { n: plan.critical_path.length })}`} ·{' '}
          {moment(plan.last_updated)}
        </p>
        <fieldset class="choices" aria-label={t('plan.look')}>
          {(['graph', 'list'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={name === look} onClick={() => setLook(name)}>
              {t(`plan.${name}`)}
            </button>
          ))}
        </fieldset>
      </header>
      <div class="plan-parts">
        {look === 'graph' ? (
          <Graph plan={plan} picked={task?.id ?? null} onPick={setPicked} />
        ) : (
          <List plan={plan} picked={task?.id ?? null} onPick={setPicked} />
        )}
        {task && <OneTask view={view} plan={plan} task={task} onPick={setPicked} />}
      </div>
      <Legend />
    </section>
  )
}

interface GraphProps {
  plan: Plan
  picked: string | null
  onPick: (id: string) => void
}

function Graph({ plan, picked, onPick }: GraphProps) {
  const size = plan.tasks.length > MANY ? SMALL : LARGE
  const shape = plan.tasks.map(({ id, depends_on }) => `${id}<${depends_on.join(',')}`).join(';')
  // Where things stand follows from what waits for what; a new status moves nothing.
  const layout = useMemo(() => layOutGraph(plan.tasks, size), [shape, size])
  const critical = pathOf(plan)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    // A large plan is opened where the picked task is, not at an empty corner.
    const place = layout.places.get(picked ?? '')
    if (!box.current || !place) return
    box.current.scrollLeft = place.x - (box.current.clientWidth - size.width) / 2
    box.current.scrollTop = place.y - (box.current.clientHeight - size.height) / 2
  }, [])
  const lookOf = (link: Link) =>
    [isCritical(plan.critical_path, link) && 'critical', (link.from === picked || link.to === picked) && 'picked']
      .filter(Boolean)
      .join(' ')
  return (
    <GraphSheet
      class="card graph"
      label={t('plan.graph')}
      layout={layout}
      nodes={plan.tasks}
      size={size}
      lookOf={lookOf}
      box={box}
    >
      {(task) => (
        <button
          type="button"
          class={`node tone-${PLAN_TONES[task.status]} ${task.status}${critical.has(task.id) ? ' critical' : ''}`}
          aria-pressed={task.id === picked}
          onClick={() => onPick(task.id)}
        >
          <NodeWords task={task} isShort={size === SMALL} isCritical={critical.has(task.id)} />
        </button>
      )}
    </GraphSheet>
  )
}

function NodeWords({ task, isShort, isCritical }: { task: PlanTask; isShort: boolean; isCritical: boolean }) {
  return (
    <>
      <span class="node-head">
        <span class="mark" aria-hidden="true">
          {MARKS[task.status]}
        </span>
        <code>{task.id}</code>
        <span class="effort" title={t(`effort.${task.effort}`)}>
          <span aria-hidden="true">{t(`effort.short.${task.effort}`)}</span>
          <span class="sr-only">{t(`effort.${task.effort}`)}</span>
        </span>
      </span>
      <span class={isShort ? 'node-words short' : 'node-words'}>{task.description}</span>
      <span class="sr-only">
        {statusWords(task.status)}
        {isCritical && `, ${t('plan.on_path')}`}
        {task.depends_on.length > 0 && `, ${t('plan.after', { tasks: task.depends_on.join(', ') })}`}
      </span>
    </>
  )
}

/** One task alone is no path. */
function pathOf({ critical_path: path }: Plan): ReadonlySet<string> {
  return new Set(path.length > 1 ? path : [])
}

function isCritical(path: readonly string[], { from, to }: Link): boolean {
  const at = path.indexOf(from)
  return at >= 0 && path[at + 1] === to
}

function List({ plan, picked, onPick }: GraphProps) {
  const critical = pathOf(plan)
  return (
    <ol class="card plan-list">
      {plan.tasks.map((task) => (
        <li key={task.id}>
          <button type="button" aria-pressed={task.id === picked} onClick={() => onPick(task.id)}>
            <span class="row">
              <code>{task.id}</code>
              <span class={`badge tone-${PLAN_TONES[task.status]}`}>{statusWords(task.status)}</span>
              <span class="muted small">{t(`effort.${task.effort}`)}</span>
              {critical.has(task.id) && <span class="badge path">{t('plan.on_path')}</span>}
            </span>
            <span>{task.description}</span>
            {task.depends_on.length > 0 && (
              <span class="muted small">{t('plan.after', { tasks: task.depends_on.join(', ') })}</span>
            )}
          </button>
        </li>
      ))}
    </ol>
  )
}

interface OneTaskProps {
  view: CycleView
  plan: Plan
  task: PlanTask
  onPick: (id: string) => void
}

function OneTask({ view, plan, task, onPick }: OneTaskProps) {
  const { engine, coordination } = view.run
  const next = plan.tasks.filter(({ depends_on }) => depends_on.includes(task.id)).map(({ id }) => id)
  const held = Object.entries(engine.holds ?? {})
    .filter(([, keys]) => keys.some((key) => parseStepKey(key).task === task.id))
    .map(([id]) => id)
  const blockers = coordination.blockers.filter(({ id, status }) => status === 'open' && held.includes(id))
  const jumps = (ids: readonly string[]) => (
    <span class="row">
      {ids.map((id) => (
        <button key={id} type="button" class="button plain small" onClick={() => onPick(id)}>
          <code>{id}</code>
        </button>
      ))}
    </span>
  )
  return (
    <section class="card plan-task" aria-labelledby="task-title" aria-live="polite">
      <header class="card-head">
        <h3 id="task-title" class="mono">
          {task.id}
        </h3>
        <span class={`badge tone-${PLAN_TONES[task.status]}`}>{statusWords(task.status)}</span>
      </header>
      <div class="card-body stack">
        <p class="pre">{task.description}</p>
        {blockers.map(({ id, description }) => (
          <p key={id} class="notice tone-warn small">
            <strong>{id}</strong>
            <span>{description}</span>
          </p>
        ))}
        <dl class="facts">
          <Fact name={t('plan.effort')}>
            {t(`effort.${task.effort}`)}
            {pathOf(plan).has(task.id) && ` · ${t('plan.on_path')}`}
          </Fact>
          {task.assigned_to && (
            <Fact name={t('plan.who')}>{task.assigned_to === 'cd' ? roleTitle('cd') : task.assigned_to}</Fact>
          )}
          {engine.mends.includes(task.id) && <Fact name={t('plan.why')}>{t('plan.mends')}</Fact>}
          {task.depends_on.length > 0 && <Fact name={t('plan.needs')}>{jumps(task.depends_on)}</Fact>}
          {next.length > 0 && <Fact name={t('plan.then')}>{jumps(next)}</Fact>}
          {task.files.length > 0 && (
            <Fact name={t('plan.files')}>
              <ul class="mono small">
                {task.files.map((file) => (
                  <li key={file}>{file}</li>
                ))}
              </ul>
            </Fact>
          )}
        </dl>
      </div>
    </section>
  )
}

function Legend() {
  return (
    <p class="legend small row" aria-hidden="true">
      {(['pending', 'in_progress', 'completed', 'blocked'] as const).map((status) => (
        <span key={status} class={`tone-${PLAN_TONES[status]}`}>
          <span class="mark">{MARKS[status]}</span> {statusWords(status)}
        </span>
      ))}
      <span class="legend-path">{t('plan.on_path')}</span>
    </p>
  )
}
