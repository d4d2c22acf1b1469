// What the loop asks of a person now: a question, permissions, the next step. Nothing where it asks nothing.
import './actions.css'
import type { LoopRef, LoopView } from '../api/types'
import { MenuOf } from './MenuOf'
import { Permissions } from './Permissions'
import { Question } from './Question'

export function Asked({ at, view }: { at: LoopRef; view: LoopView }) {
  const { engine, status } = view.loop
  const isRunning = status === 'running'
  const rests = status === 'paused' || status === 'user_exit'
  return (
    <>
      {engine.waiting && (isRunning || rests) && (
        <Question
          key={engine.waiting.since}
          at={at}
          waiting={engine.waiting}
          answer={engine.answer ?? null}
          rests={rests}
        />
      )}
      {isRunning && engine.asked.length > 0 && <Permissions at={at} requests={engine.asked} />}
      {isRunning && engine.menu && !engine.waiting && <MenuOf at={at} menu={engine.menu} />}
    </>
  )
}
