// Sections of a page as tabs: the address keeps which one is open, arrow keys go from one to the next.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Tab<Name extends string> {
  name: Name
  words: string
  /** What there is of it, where a number says something before the tab is opened. */
  count: string | undefined
}

interface TabsProps<Name extends string> {
  label: string
  tabs: readonly Tab<Name>[]
  open: Name
  href: (tab: Name) => string
  children: ComponentChildren
}

/** The panel holds the children. */
export function Tabs<Name extends string>({ label, tabs, open, href, children }: TabsProps<Name>) {
  return (
    <>
      <TabList label={label} tabs={tabs} open={open} href={href} />
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={idOf(open)} key={open}>
        <h2 class="sr-only">{tabs.find(({ name }) => name === open)?.words}</h2>
        {children}
      </div>
    </>
  )
}

/** Where each key goes from the tab that has the focus. */
const KEYS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

function TabList<Name extends string>({ label, tabs, open, href }: Omit<TabsProps<Name>, 'children'>) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (list.current && tab) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [open])
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === open)
    const next = tabs[KEYS[event.key]?.(at, tabs.length) ?? -1]
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    // The way back leads out of the page, not through every tab that was passed.
    location.replace(href(next.name))
    list.current?.querySelector<HTMLElement>(`#${idOf(next.name)}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ name, words, count }) => (
        <a
          key={name}
          id={idOf(name)}
          role="tab"
          class="tab"
          href={href(name)}
          aria-selected={name === open}
          aria-controls={name === open ? 'panel' : undefined}
          tabIndex={name === open ? 0 : -1}
        >
          {words} <span class="count">{count}</span>
        </a>
      ))}
    </div>
  )
}

function idOf(tab: string): string {
  return `tab-${tab}`
}
