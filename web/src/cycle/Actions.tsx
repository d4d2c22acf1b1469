// What can be done with one cycle now: the bar of buttons on its page.
import { Bar } from '../actions/Bar'
import { ReopenDialog } from '../actions/ReopenDialog'
import { send } from '../api/client'
import type { CycleView } from '../api/cycles'
import { acting, type Place } from '../app/place'
import { CYCLES_HREF, go } from '../app/router'
import { t as common } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { ExtendDialog } from './ExtendDialog'
import { t } from './i18n'
import { type Deed, offered, standing } from './possible'

const DANGEROUS: readonly Deed[] = ['stop', 'delete']

export function Actions({ place, view }: { place: Place; view: CycleView }) {
  const act = acting(place)
  const how = standing(view.cycle, view.live)
  const sure: Record<'stop' | 'delete' | 'recover', () => Promise<unknown>> = {
    stop: () => act('stop'),
    recover: () => act('recover'),
    delete: async () => {
      await send('DELETE', place.path())
      go(CYCLES_HREF)
    },
  }
  return (
    <Bar
      offer={offered(how)}
      urges={how !== 'running'}
      words={(deed) => (deed === 'extend' ? t('do.extend') : common(`do.${deed}`))}
      hint={(deed) => (deed === 'pause_now' ? common('do.pause_now_hint') : undefined)}
      dangerous={DANGEROUS}
      atOnce={{
        start: () => act('start'),
        pause: () => act('pause'),
        pause_now: () => act('pause', { now: true }),
        keep_paused: () => act('pause'),
        resume: () => act('resume'),
        take_up: () => act('resume'),
      }}
      dialog={(deed, close) => {
        if (deed === 'extend') return <ExtendDialog act={act} cycle={view.cycle} onClose={close} />
        if (deed === 'reopen') {
          return (
            <ReopenDialog
              title={t('do.reopen_title')}
              words={common('do.reopen_words')}
              of={view.cycle}
              reopen={(limits) => act('reopen', { ...limits })}
              onClose={close}
            />
          )
        }
        if (deed !== 'stop' && deed !== 'delete' && deed !== 'recover') return null
        return (
          <Confirm
            title={t(`do.${deed}_title`)}
            words={t(`do.${deed}_words`)}
            deed={common(`do.${deed}`)}
            act={sure[deed]}
            onClose={close}
          />
        )
      }}
    />
  )
}
