import { useEffect, useState } from 'preact/hooks'

/** The time, once a second while something is under way. */
export function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [isTicking])
  return now
}
