// What can be done with one loop now: the bar of buttons on its page.
import { send } from '../api/client'
import type { LoopView } from '../api/types'
import { acting, type Place } from '../app/place'
import { go, LOOPS_HREF } from '../app/router'
import { t } from '../i18n'
import { Confirm } from '../ui/Confirm'
import { Bar } from './Bar'
import { type Deed, offered, standing } from './possible'
import { ReopenDialog } from './ReopenDialog'

const DANGEROUS: readonly Deed[] = ['stop', 'delete']

export function Actions({ place, view }: { place: Place; view: LoopView }) {
  const act = acting(place)
  const how = standing(view.loop, view.live)
  const sure: Record<'stop' | 'delete' | 'recover', () => Promise<unknown>> = {
    stop: () => act('stop'),
    recover: () => act('recover'),
    delete: async () => {
      await send('DELETE', place.path())
      go(LOOPS_HREF)
    },
  }
  return (
    <Bar
      offer={offered(how)}
      urges={how !== 'running'}
      words={(deed) => t(`do.${deed}`)}
      hint={(deed) => (deed === 'pause_now' ? t('do.pause_now_hint') : undefined)}
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
        if (deed === 'reopen') {
          return (
            <ReopenDialog
              title={t('do.reopen_title')}
              words={t('do.reopen_words')}
              of={view.loop}
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
            deed={t(`do.${deed}`)}
            act={sure[deed]}
            onClose={close}
          />
        )
      }}
    />
  )
}
