// What waits, account by account, in the order in which it comes.
import type { Account, QueuedRun } from '../api/fleet'
import { Card } from '../run/panels'
import { exact, moment } from '../ui/format'
import { elapsed } from './elapsed'
import { t } from './i18n'
import { RunLink } from './RunLink'

export function Queue({ queue, accounts }: { queue: readonly QueuedRun[]; accounts: readonly Account[] }) {
  return (
    <Card id="queue" title={t('queue.title')} class="card fleet-queue">
      {queue.length === 0 ? (
        <p class="card-body muted">{t('queue.none')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">{t('queue.position')}</span>#
              </th>
              <th scope="col">{t('queue.run')}</th>
              <th scope="col">{t('user')}</th>
              <th scope="col">{t('queue.priority')}</th>
              <th scope="col">{t('waiting')}</th>
            </tr>
          </thead>
          {accounts.map((account) => (
            <AccountQueue
              key={account.name}
              account={account}
              runs={queue.filter((run) => run.account === account.name)}
            />
          ))}
        </table>
      )}
    </Card>
  )
}

function AccountQueue({ account, runs }: { account: Account; runs: readonly QueuedRun[] }) {
  if (runs.length === 0) return null
  const left = account.queued - runs.length
  return (
    <tbody>
      <tr class="queue-account">
        <th scope="rowgroup" colSpan={5}>
          <span class="row spread">
            {t('queue.of', { n: account.queued, account: account.name })}
            {account.closed_until && (
              <span class="badge tone-warn">{t('accounts.closed', { time: moment(account.closed_until) })}</span>
            )}
          </span>
        </th>
      </tr>
      {runs.map((run) => (
        <QueueRow key={run.id} run={run} />
      ))}
      {left > 0 && (
        <tr>
          <td class="muted" colSpan={5}>
            {t('queue.more', { n: left })}
          </td>
        </tr>
      )}
    </tbody>
  )
}

function QueueRow({ run }: { run: QueuedRun }) {
  return (
    <tr>
      <td class="queue-position muted">{run.before + 1}</td>
      <td class="queue-run">
        <RunLink run={run} />
        {run.trouble && <p class="queue-trouble small">{run.trouble}</p>}
      </td>
      <td class="queue-user">{run.user}</td>
      <td class="queue-priority">
        <span class="narrow">{t('queue.priority')} </span>
        {run.priority}
      </td>
      <td class="queue-since muted">
        <time dateTime={run.since} title={exact(run.since)}>
          {elapsed(run.since)}
        </time>
      </td>
    </tr>
  )
}
