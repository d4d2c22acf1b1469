import type { Agent } from '../api/types'
import { t } from '../i18n'

/** The agents that cannot be used, each with the reason. */
export function Agents({ agents }: { agents: readonly Agent[] }) {
  const missing = agents.filter(({ problem }) => problem !== null)
  if (missing.length === 0) return null
  return (
    <details>
      <summary>{t('create.agents_why')}</summary>
      <ul class="reasons">
        {missing.map(({ name, problem }) => (
          <li key={name}>{problem?.startsWith(name) ? problem : `${name}: ${problem}`}</li>
        ))}
      </ul>
    </details>
  )
}
