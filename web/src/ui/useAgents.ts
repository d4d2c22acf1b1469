// Who can do the work, as the project has them.
import { useEffect, useState } from 'preact/hooks'
import { Problem } from '../api/client'
import { listAgents } from '../api/runs'
import type { Agent } from '../api/types'

/** The tool that runs a command and asks no agent. */
export const SHELL = 'bash'

export function useAgents(project: string | undefined): { agents: readonly Agent[]; isGone: boolean } {
  const [agents, setAgents] = useState<readonly Agent[]>([])
  const [isGone, setGone] = useState(false)

  useEffect(() => {
    let isOld = false
    listAgents(project).then(
      (found) => !isOld && setAgents(found),
      (problem: unknown) => {
        if (!(problem instanceof Problem)) throw problem
        setGone(true)
      },
    )
    return () => {
      isOld = true
    }
  }, [project])

  return { agents, isGone }
}
