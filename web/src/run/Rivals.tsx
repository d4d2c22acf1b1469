// A patch as what it is: how many edits pass the same tests, and by what call those that behave otherwise are told apart.
import type { SendCommand } from '../app/address'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { DiffView } from './DiffView'
import { t } from './i18n'
import { Fact, Fold } from './panels'
import { type Comparison, differenceOf, type Rival, standingOf } from './rivals'

/** `send`: given where a person may take a rival, which is while nothing is at work. */
export function Rivals({ comparison, send }: { comparison: Comparison; send: SendCommand | null }) {
  const { tried, passing, compared = 0, inputs = 0, differing = 0, rivals = [], chosen_by } = comparison
  const counts = { n: tried, passing, compared, inputs, differing }
  return (
    <div class="rivals stack">
      <p>
        {t(`rivals.${standingOf(comparison)}`, counts)}
        {chosen_by && ` ${t('rivals.chosen', { who: chosen_by })}`}
      </p>
      {rivals.length > 0 && (
        <ul class="plain-list">
          {rivals.map((rival) => (
            <OneRival key={rival.id} comparison={comparison} rival={rival} send={send} />
          ))}
        </ul>
      )}
    </div>
  )
}

function OneRival({ comparison, rival, send }: { comparison: Comparison; rival: Rival; send: SendCommand | null }) {
  const { busy, problem, run } = useCommand()
  const found = differenceOf(comparison, rival)
  return (
    <li>
      <p>
        <span class="mono">{rival.id}</span> {rival.description}
      </p>
      {found && (
        <dl class="facts wide">
          <Fact name={<code>{found.call}</code>}>
            {t('rivals.patch')} <code>{found.patch}</code>, {t('rivals.rival')} <code>{found.rival}</code>
          </Fact>
        </dl>
      )}
      <Fold summary={t('rivals.diff')}>
        <DiffView answer={{ diff: rival.diff, truncated: false }} isWrapped />
      </Fold>
      {send && (
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => void run(() => send('choose', { choice: rival.id }))}
        >
          {t('rivals.take', { id: rival.id })}
        </button>
      )}
      <ProblemNotice problem={problem} />
    </li>
  )
}
