// Something of the server's that the page shows: read when it is looked at, read again when it has become old, and
// never twice at the same time.
import { type Signal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Problem } from '../api/client'

/** Milliseconds between the end of a request and the next of its kind: a burst of changes is one request. */
const SPACING = 120
/** After a failure to reach the server. Nothing is asked again that the server refused. */
const RETRY = 2000

export interface Resource<T> {
  /** What was read last; it stays while newer is on its way, and when newer cannot be had. */
  data: Signal<T | null>
  problem: Signal<Problem | null>
  /** It is old; read again at once if somebody looks at it, else when somebody does. */
  touch: () => void
  /** Somebody looks at it, until the returned function is called. */
  hold: () => () => void
}

export function createResource<T>(read: () => Promise<T>): Resource<T> {
  const data = signal<T | null>(null)
  const problem = signal<Problem | null>(null)
  let holders = 0
  let isStale = true
  let isUnderWay = false
  let timer = 0
  let ended = Number.NEGATIVE_INFINITY

  const take = async () => {
    isUnderWay = true
    isStale = false
    try {
      data.value = await read()
      problem.value = null
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      problem.value = error
      isStale ||= error.isOffline
    } finally {
      isUnderWay = false
      ended = performance.now()
      consider()
    }
  }
  const consider = () => {
    if (isUnderWay || timer || !isStale || holders === 0) return
    const pause = problem.value?.isOffline ? RETRY : SPACING
    const wait = ended + pause - performance.now()
    if (wait <= 0) void take()
    else
      timer = setTimeout(() => {
        timer = 0
        consider()
      }, wait)
  }

  return {
    data,
    problem,
    touch: () => {
      isStale = true
      consider()
    },
    hold: () => {
      holders += 1
      consider()
      return () => {
        holders -= 1
      }
    },
  }
}

/** Reads it again every so many milliseconds while the page can be seen; 0: not at all. */
export function useRefreshing({ touch }: Pick<Resource<unknown>, 'touch'>, pause: number): void {
  useEffect(() => {
    if (pause === 0) return
    const look = () => {
      if (!document.hidden) touch()
    }
    const timer = window.setInterval(look, pause)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [touch, pause])
}

/** The resource, read for as long as the component is there. */
export function useResource<T>(held: Resource<T>): { data: T | null; problem: Problem | null } {
  useEffect(() => held.hold(), [held])
  return { data: held.data.value, problem: held.problem.value }
}
