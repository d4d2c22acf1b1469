// What each kind of run declares of its list, and of the form for a new one.
import type { ComponentChildren, JSX } from 'preact'
import type { KindName } from '../api/types'
import type { Translate } from '../i18n'
import type { RunLook } from '../ui/tones'
import type { Row } from './rows'

export type ListKey =
  `list.${'title' | 'new' | 'search' | 'loading' | 'count' | 'damaged' | 'none' | 'clear' | 'empty' | 'empty_words'}`

export interface ListKind<Brief extends Row> {
  name: KindName
  t: Translate<ListKey>
  statuses: readonly string[]
  statusWords: (status: string) => string
  searchHint: () => string
  /** How one is begun in a terminal. */
  command: string
  columns: (brief: Brief) => Columns
  form: CreateForm
}

/** One run in its list. */
interface Columns {
  title: string
  look: RunLook
  /** What it does or why it ended, then by whom; what is empty is left out. */
  details: readonly (string | null | false)[]
  needs: string | null
  progress: ComponentChildren
  results: JSX.Element
  changedAt: string | null
}

export type Errors = Partial<Record<string, string>>

export interface FieldsProps {
  project: string | undefined
  /** What is wrong, by field. */
  errors: Errors
  /** The choice of a project, where there are several. */
  projectField: ComponentChildren
}

export interface CreateForm {
  /** Fields that the server's words may be about. */
  names: readonly string[]
  Fields: (props: FieldsProps) => JSX.Element
  /** What was filled in, as the server wants it. */
  read: (form: FormData) => { body: object; errors: Errors }
}
