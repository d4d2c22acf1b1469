// What each kind of run declares of its page: where its state has what all pages show, and the sections it has.
import type { ComponentChildren } from 'preact'
import type { CommandName, Offer } from '../actions/commands'
import type { KindName, Pause, RunView } from '../api/types'
import type { RunAddress, SendCommand } from '../app/address'
import type { Translate } from '../i18n'
import type { RunLook } from '../ui/tones'
import type { AnyParts, RunResources } from './resources'

export type RunKey =
  | 'back'
  | `${'missing' | 'gone' | 'damaged'}.${'title' | 'words'}`
  | `do.${'stop' | 'delete' | 'recover'}_${'title' | 'words'}`
  | 'tabs.label'

/** A run in brief, as the top of its page shows it. */
export interface RunSummary {
  id: string
  title: string
  status: string
  look: RunLook
  pause: Pause | null
  /** What it does at the moment, in words. */
  doing: string | null
  /** It waits for a person, and needs no runner for that. */
  waits: boolean
  iteration: number
  limit: number
  /** What else there is to say of it: names and values. */
  facts: readonly (readonly [string, string])[]
  changedAt: string | null
  /** Why it ended. */
  reason: string | null
  parked: { until: string; reason: string } | null
  rev: number
}

/** What a section is shown with. */
export interface SectionProps<State, Parts> {
  resources: RunResources<State, Parts>
  view: RunView<State>
  /** What stands behind the section's name in the address, as in `changes-3`. */
  detail: string | undefined
}

export interface Section<State, Parts> {
  name: string
  title: () => string
  /** What there is of it, where a number says something before it is opened. */
  count?: (state: State) => string | number
  Content: (props: SectionProps<State, Parts>) => ComponentChildren
}

export interface CommandDialogProps<State> {
  command: CommandName
  send: SendCommand
  state: State
  onClose: () => void
}

/** What a person is asked for; `section`: which one is open. */
export interface RequestsProps<State> {
  address: RunAddress
  view: RunView<State>
  section: string
}

/** `Parts`: what the page reads beside the state itself, each kept true by `resources.ts`. */
export interface RunKind<State, Parts extends AnyParts<Parts>> {
  name: KindName
  t: Translate<RunKey>
  summaryOf: (state: State) => RunSummary
  partsOf: (address: RunAddress) => Parts
  /** Parts that a change of this type makes old; null: all of them. */
  partsAfter: (type: string) => readonly (keyof Parts)[] | null
  offerOf: (state: State, live: boolean) => Offer
  /** For commands that are asked more than whether one is sure. */
  CommandDialog?: (props: CommandDialogProps<State>) => ComponentChildren
  Requests: (props: RequestsProps<State>) => ComponentChildren
  /** The first is open at first. */
  sections: readonly Section<State, Parts>[]
}
