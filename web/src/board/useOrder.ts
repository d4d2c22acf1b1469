// The order of the tasks while somebody changes it: on the screen at once, and as the server has it after that.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../api/client'
import { reorderTasks } from '../api/tasks'
import type { Loop, Ref } from '../api/types'

interface TaskOrder {
  order: readonly string[] | null
  /** Why the last change did not go through. */
  problem: Problem | null
  change: (ids: readonly string[]) => Promise<boolean>
}

export function useOrder(at: Ref, loop: Loop): TaskOrder {
  const [order, setOrder] = useState<readonly string[] | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const underWay = useRef(0)
  const rev = useRef(loop.engine.rev)
  const settledAt = useRef<number | null>(null)

  rev.current = loop.engine.rev
  useEffect(() => {
    // The page has a later version of the loop than the one that was changed: what it says holds.
    if (settledAt.current !== null && loop.engine.rev > settledAt.current) {
      settledAt.current = null
      setOrder(null)
    }
  }, [loop.engine.rev])

  const change = async (ids: readonly string[]) => {
    const before = rev.current
    underWay.current += 1
    setOrder(ids)
    setProblem(null)
    try {
      await reorderTasks(at, ids)
      underWay.current -= 1
      if (underWay.current > 0) return true
      if (rev.current > before) setOrder(null)
      else settledAt.current = before
      return true
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      underWay.current -= 1
      settledAt.current = null
      setOrder(null)
      setProblem(error)
      return false
    }
  }

  return { order, problem, change }
}
