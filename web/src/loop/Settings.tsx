// What the loop was started with.
import type { LoopView } from '../api/types'
import { duration, moment, percent } from '../run/format'
import { type Key, t } from '../run/i18n'

export function Settings({ view: { loop } }: { view: LoopView }) {
  const { settings, allow_test_changes } = loop.engine
  const lines: readonly (readonly [Key, string | null | undefined])[] = [
    ['settings.mode', t(`mode.${settings.mode}`)],
    ['settings.permissions', t(`permissions.${settings.permissions}`)],
    ['settings.test_command', settings.test_command],
    ['settings.require', t(`require.${settings.require}`)],
    ['settings.min_coverage', settings.min_coverage ? percent(settings.min_coverage) : null],
    ['settings.min_mutation_score', settings.min_mutation_score ? percent(settings.min_mutation_score) : null],
    ['settings.min_diff_coverage', settings.min_diff_coverage ? percent(settings.min_diff_coverage) : null],
    ['settings.test_changes', allow_test_changes ? t('settings.allowed') : null],
    ['settings.test_timeout', duration(settings.test_timeout)],
    ['settings.per_test_timeout', settings.per_test_timeout ? duration(settings.per_test_timeout) : null],
    ['settings.action_timeout', duration(settings.action_timeout)],
    ['settings.park', settings.park ? null : t('settings.no_park')],
    ['settings.priority', loop.priority && t(`priority.${loop.priority}`)],
    ['settings.tags', loop.tags?.join(', ')],
    ['settings.notes', loop.notes],
    ['settings.created', moment(loop.created_at)],
    ['settings.completed', loop.completed_at && moment(loop.completed_at)],
  ]
  return (
    <section class="card" aria-labelledby="settings-title">
      <header class="card-head">
        <h2 id="settings-title">{t('settings.title')}</h2>
      </header>
      <dl class="card-body facts">
        {lines.map(
          ([key, value]) =>
            value && (
              <div key={key}>
                <dt>{t(key)}</dt>
                <dd class={key === 'settings.test_command' ? 'mono' : undefined}>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}
