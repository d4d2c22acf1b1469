// What can be done with one tuning session now: the bar of buttons on its page.
import { Bar } from '../actions/Bar'
import { send } from '../api/client'
import type { TuningView } from '../api/tunings'
import { acting, type Place } from '../app/place'
import { go, TUNINGS_HREF } from '../app/router'
import { t as common } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { t } from './i18n'
import { type Deed, offered, standing } from './possible'

const DANGEROUS: readonly Deed[] = ['stop', 'delete']

export function Actions({ place, view }: { place: Place; view: TuningView }) {
  const act = acting(place)
  const how = standing(view.tuning, view.live)
  const sure: Record<'stop' | 'delete' | 'recover', () => Promise<unknown>> = {
    stop: () => act('stop'),
    recover: () => act('recover'),
    delete: async () => {
      await send('DELETE', place.path())
      go(TUNINGS_HREF)
    },
  }
  return (
    <Bar
      offer={offered(how)}
      urges={how === 'pending' || how === 'orphaned'}
      words={(deed) => common(`do.${deed}`)}
      dangerous={DANGEROUS}
      atOnce={{ start: () => act('start'), take_up: () => act('resume') }}
      dialog={(deed, close) =>
        (deed === 'stop' || deed === 'delete' || deed === 'recover') && (
          <Confirm
            title={t(`do.${deed}_title`)}
            words={t(`do.${deed}_words`)}
            deed={common(`do.${deed}`)}
            act={sure[deed]}
            onClose={close}
          />
        )
      }
    />
  )
}
