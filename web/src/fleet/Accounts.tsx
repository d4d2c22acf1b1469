// The accounts of agents: how many of their runs are driven and wait, whose, and until when one is closed.
import type { Account } from '../api/fleet'
import { Card } from '../run/panels'
import { moment, number } from '../ui/format'
import { Meter } from '../ui/Meter'
import { t } from './i18n'

export function Accounts({ accounts }: { accounts: readonly Account[] }) {
  return (
    <Card id="accounts" title={t('accounts.title')} class="card fleet-accounts">
      {accounts.length === 0 ? (
        <p class="card-body muted">
          {t('accounts.none')} <code>loopwright fleet accounts team --slots 4</code>
        </p>
      ) : (
        <ul>
          {accounts.map((account) => (
            <AccountRow key={account.name} account={account} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function AccountRow({ account }: { account: Account }) {
  const { name, slots, user_slots: each, closed_until: until, closed_why: why, running, queued, users } = account
  const tone = until ? 'warn' : running < slots ? 'good' : 'info'
  return (
    <li class="account">
      <div class="row spread">
        <h3>{name}</h3>
        <span class={`badge tone-${tone}`}>
          {until
            ? t('accounts.closed', { time: moment(until) })
            : t(running < slots ? 'accounts.open' : 'accounts.full')}
        </span>
      </div>
      {until && why && <p class="small account-why">{why}</p>}
      <Meter total={slots} parts={[{ tone: until ? 'warn' : 'info', count: running }]} />
      <p class="small row spread">
        <span>{t('slots', { taken: running, n: slots })}</span>
        <span>{t('accounts.queued', { n: queued })}</span>
      </p>
      {users.length > 0 && (
        <table class="account-users small">
          <thead>
            <tr class="muted">
              <th scope="col">{t('user')}</th>
              <th scope="col">{t('accounts.running')}</th>
              <th scope="col">{t('waiting')}</th>
            </tr>
          </thead>
          <tbody>
            {users.map((one) => (
              <tr key={one.user}>
                <th scope="row">{one.user}</th>
                <td>{number(one.running)}</td>
                <td>{number(one.queued)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {each && <p class="muted small">{t('accounts.each', { n: each })}</p>}
    </li>
  )
}
