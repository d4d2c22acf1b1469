// A change on its way: busy while it lasts, and the server's words where it is refused.
import { useCallback, useState } from 'preact/hooks'
import { Problem } from '../api/client'

export interface Command {
  busy: boolean
  problem: Problem | null
  /** Whether it went through. */
  run: (work: () => Promise<unknown>) => Promise<boolean>
  clear: () => void
}

export function useCommand(): Command {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
      return false
    } finally {
      setBusy(false)
    }
  }, [])

  return { busy, problem, run, clear: useCallback(() => setProblem(null), []) }
}

/** The field that the server's words are about ("title: must not be blank"), and the words without its name. */
export function fieldProblem<Field extends string>(
  problem: Problem | null,
  fields: readonly Field[],
): { field: Field; words: string } | null {
  if (problem === null || problem.status !== 400) return null
  const field = fields.find((name) => problem.message.startsWith(`${name}: `))
  return field === undefined ? null : { field, words: problem.message.slice(field.length + 2) }
}
