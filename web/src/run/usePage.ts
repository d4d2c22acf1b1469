// What every page of one loop or cycle does beside showing it.
import { useEffect } from 'preact/hooks'
import type { Resource } from './resource'

/** Milliseconds. */
const LAST_BREATH = 700

interface Alive {
  live: boolean
}

/** A runner that has nothing more to do leaves a moment after its last entry, and without another one. */
export function useLastBreath<View extends Alive>(of: Resource<View>, status: (view: View) => string): void {
  const view = of.data.value
  useEffect(() => {
    if (!view?.live || status(view) === 'running') return
    const timer = setTimeout(of.touch, LAST_BREATH)
    return () => clearTimeout(timer)
  }, [of, view])
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · loopwright`
    return () => {
      document.title = 'loopwright'
    }
  }, [title])
}
