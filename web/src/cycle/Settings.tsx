// What the cycle was started with.
import type { CycleView } from '../api/cycles'
import { ROLES } from '../api/cycles'
import { duration, moment, percent } from '../run/format'
import { t as run } from '../run/i18n'
import { roleTitle, t } from './i18n'

export function Settings({ view: { cycle } }: { view: CycleView }) {
  const { settings, roles, parallel, allow_test_changes } = cycle.engine
  const lines: readonly (readonly [string, string | null | undefined])[] = [
    ...ROLES.map((role) => [roleTitle(role), roles?.[role] ?? settings.agent] as const),
    [t('settings.parallel'), String(parallel)],
    [run('settings.mode'), run(`mode.${settings.mode}`)],
    [run('settings.permissions'), run(`permissions.${settings.permissions}`)],
    [run('settings.test_command'), settings.test_command],
    [run('settings.require'), run(`require.${settings.require}`)],
    [run('settings.min_coverage'), settings.min_coverage ? percent(settings.min_coverage) : null],
    [run('settings.min_mutation_score'), settings.min_mutation_score ? percent(settings.min_mutation_score) : null],
    [run('settings.min_diff_coverage'), settings.min_diff_coverage ? percent(settings.min_diff_coverage) : null],
    [run('settings.test_changes'), allow_test_changes ? run('settings.allowed') : null],
    [t('settings.turn'), duration(settings.action_timeout)],
    [run('settings.created'), moment(cycle.created_at)],
    [run('settings.completed'), cycle.completed_at && moment(cycle.completed_at)],
  ]
  return (
    <section class="card" aria-labelledby="settings-title">
      <header class="card-head">
        <h2 id="settings-title">{run('settings.title')}</h2>
      </header>
      <dl class="card-body facts">
        {lines.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}
