// One run's page, of any kind: what it is, how it stands, and its sections, live.
import { useEffect, useMemo } from 'preact/hooks'
import type { Ref, RunView } from '../api/types'
import { addressOf } from '../app/address'
import { RunHead } from './RunHead'
import type { RunKind } from './RunKind'
import { useRefreshing, useResource } from './resource'
import { type AnyParts, createResources, followRun, type RunResources } from './resources'
import { Tabs } from './Tabs'
import { DeletedRun, LoadingRun, UnreadableRun } from './Unavailable'

/** Milliseconds after its last entry that a runner with nothing more to do leaves, without another entry. */
const LEAVING = 700
/** Nothing tells that a run moves up in a queue of the fleet. Milliseconds. */
const MOVING = 3000

interface RunPageProps<State, Parts extends AnyParts<Parts>> {
  kind: RunKind<State, Parts>
  at: Ref
  tab: string | undefined
}

export function RunPage<State, Parts extends AnyParts<Parts>>({
  kind,
  at: { id, project },
  tab,
}: RunPageProps<State, Parts>) {
  const resources = useMemo(() => {
    const address = addressOf(kind.name, { id, project })
    return createResources(address, (state: State) => kind.summaryOf(state).rev, kind.partsOf(address))
  }, [kind, id, project])
  const { data, problem } = useResource(resources.view)
  const summary = data && kind.summaryOf(data.run)
  const title = summary?.title ?? id
  useFollowing(kind, resources, summary?.rev ?? null)
  useLastLook(resources, data, summary?.status)
  useRefreshing(resources.view, data?.fleet && data.live ? MOVING : 0)
  useTitle(title)

  if (resources.isGone.value || (data && problem?.status === 404)) return <DeletedRun kind={kind} title={title} />
  if (problem && (!data || problem.status === 503)) {
    return <UnreadableRun kind={kind} address={resources.address} problem={problem} view={resources.view} />
  }
  return data ? <Sheet kind={kind} resources={resources} view={data} tab={tab} /> : <LoadingRun />
}

interface SheetProps<State, Parts extends AnyParts<Parts>> {
  kind: RunKind<State, Parts>
  resources: RunResources<State, Parts>
  view: RunView<State>
  tab: string | undefined
}

function Sheet<State, Parts extends AnyParts<Parts>>({
  kind,
  resources,
  view,
  tab = 'overview',
}: SheetProps<State, Parts>) {
  const [name, ...detail] = tab.split('-')
  const open = kind.sections.find((section) => section.name === name) ?? kind.sections[0]
  if (!open) return null
  const tabs = kind.sections.map((section) => ({
    name: section.name,
    words: section.title(),
    count: section.count && String(section.count(view.run) || ''),
  }))
  return (
    <div class="sheet">
      <RunHead kind={kind} address={resources.address} view={view} section={tab} />
      <Tabs label={kind.t('tabs.label')} tabs={tabs} open={open.name} href={resources.address.href}>
        <open.Content resources={resources} view={view} detail={detail.join('-') || undefined} />
      </Tabs>
    </div>
  )
}

/** `rev`: the version that was read; null before that. */
function useFollowing<State, Parts extends AnyParts<Parts>>(
  kind: RunKind<State, Parts>,
  resources: RunResources<State, Parts>,
  rev: number | null,
): void {
  const isRead = rev !== null
  useEffect(() => {
    if (rev === null) return
    const { view, parts } = resources
    const all = Object.keys(parts) as (keyof Parts)[]
    return followRun(resources, rev, (type) => {
      view.touch()
      for (const name of (type !== null && kind.partsAfter(type)) || all) parts[name].touch()
    })
  }, [resources, isRead])
}

function useLastLook<State>({ view }: RunResources<State, unknown>, data: RunView<State> | null, status = ''): void {
  useEffect(() => {
    if (!data?.live || data.fleet || status === 'running') return
    const timer = setTimeout(view.touch, LEAVING)
    return () => clearTimeout(timer)
  }, [view, data])
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · loopwright`
    return () => {
      document.title = 'loopwright'
    }
  }, [title])
}
