// What the loop asks of a person now: a question, permissions, the next step. Nothing where it asks nothing.
import './actions.css'
import type { LoopView } from '../api/types'
import { acting, type Place } from '../app/place'
import { t } from '../i18n'
import { MenuOf } from './MenuOf'
import { Permissions } from './Permissions'
import { Question } from './Question'

export function Asked({ place, view }: { place: Place; view: LoopView }) {
  const act = acting(place)
  const { engine, status } = view.loop
  const isRunning = status === 'running'
  const rests = status === 'paused' || status === 'user_exit'
  return (
    <>
      {engine.waiting && (isRunning || rests) && (
        <Question
          key={engine.waiting.since}
          act={act}
          title={t('ask.title')}
          settle={t('ask.settle')}
          waiting={engine.waiting}
          answer={engine.answer ?? null}
          rests={rests}
        />
      )}
      {isRunning && engine.asked.length > 0 && <Permissions act={act} requests={engine.asked} />}
      {isRunning && engine.menu && !engine.waiting && <MenuOf act={act} menu={engine.menu} />}
    </>
  )
}
