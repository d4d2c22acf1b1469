// One kind of run as the frame shows it: a list with a form for a new one, and a page for each.
import type { JSX } from 'preact'
import type { Ref } from '../api/types'
import type { ListKind } from '../lists/ListKind'
import { ListPage } from '../lists/ListPage'
import type { Row } from '../lists/rows'
import { runList } from '../lists/runList'
import type { RunKind } from '../run/RunKind'
import { RunPage } from '../run/RunPage'
import type { AnyParts } from '../run/resources'

export interface Kind {
  /** Shows the form for a new one, once the list is shown. */
  openForm: () => void
  List: () => JSX.Element
  Page: (props: { at: Ref; tab: string | undefined }) => JSX.Element
}

export function kindOf<State, Parts extends AnyParts<Parts>, Brief extends Row>(
  declared: RunKind<State, Parts> & ListKind<Brief>,
): Kind {
  const list = runList<Brief>(declared.name)
  return {
    openForm: () => {
      list.creating.value = true
    },
    List: () => <ListPage kind={declared} list={list} />,
    Page: ({ at, tab }) => <RunPage kind={declared} at={at} tab={tab} />,
  }
}
