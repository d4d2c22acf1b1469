// All loops, live.
import './loops.css'
import { useEffect } from 'preact/hooks'
import { go, loopHref } from '../app/router'
import { t } from '../i18n'
import { Notice, ProblemNotice } from '../ui/Notice'
import { CreateDialog } from './CreateDialog'
import { Empty, NothingFound } from './Empty'
import { Filters } from './Filters'
import { LoopRow } from './LoopRow'
import { Skeleton } from './Skeleton'
import { creating, damaged, filter, follow, hasMore, loading, more, problem, projects, reload, rows } from './store'

const open = () => {
  creating.value = true
}
const close = () => {
  creating.value = false
}

export function LoopsPage() {
  useEffect(follow, [])
  // Whoever leaves by the back button does not find it open again.
  useEffect(() => close, [])

  return (
    <div class="loops stack">
      <div class="row spread">
        <h1>{t('loops.title')}</h1>
        <button type="button" class="button primary" onClick={open}>
          {t('loops.new')}
        </button>
      </div>
      <Filters />
      <ProblemNotice problem={problem.value} retry={() => void reload()} />
      <DamagedNotice />
      <List onCreate={open} />
      {creating.value && (
        <CreateDialog
          project={filter.value.project}
          projects={projects.value}
          onClose={close}
          onCreated={(at) => {
            close()
            go(loopHref(at))
          }}
        />
      )}
    </div>
  )
}

function List({ onCreate }: { onCreate: () => void }) {
  const shown = rows.value
  const { status, search } = filter.value
  if (shown === null) return problem.value ? null : <Skeleton />
  if (shown.loops.length === 0) {
    return status === 'all' && search.trim() === '' ? <Empty onCreate={onCreate} /> : <NothingFound />
  }
  const several = projects.value.length > 1
  return (
    <>
      <ul class="loop-rows card" aria-label={t('loops.title')} aria-busy={loading.value}>
        {shown.loops.map((loop) => (
          <LoopRow key={loop.loop_id} loop={loop} several={several} />
        ))}
      </ul>
      <p class="row spread muted small">
        <span aria-live="polite">{t('loops.count', { n: shown.total })}</span>
        {hasMore.value && (
          <button type="button" class="button" disabled={loading.value} onClick={() => void more()}>
            {t('loops.more')}
          </button>
        )}
      </p>
    </>
  )
}

/** Each has a page of its own, where it can be recovered. */
function DamagedNotice() {
  if (damaged.value.length === 0) return null
  return (
    <Notice tone="warn" title={t('loops.damaged', { n: damaged.value.length })}>
      {damaged.value.map(({ loop_id, reason }) => (
        <a key={loop_id} class="mono" href={loopHref({ id: loop_id, project: filter.value.project })} title={reason}>
          {loop_id}
        </a>
      ))}
    </Notice>
  )
}
