// Which agent plays which role, and how many of them work at once: what only a cycle is asked.
import { type NewCycle, ROLES } from '../api/cycles'
import { t as common } from '../i18n'
import { fieldText } from '../lists/form'
import type { FieldsProps } from '../lists/ListKind'
import { AgentOptions } from '../lists/RunFields'
import { Field } from '../ui/Field'
import { SHELL, useAgents } from '../ui/useAgents'
import { roleTitle, t } from './i18n'

const PARALLEL = ['1', '2', '3', '4'] as const

export function RoleFields({ project, errors }: FieldsProps) {
  const { agents: all } = useAgents(project)
  const agents = all.filter(({ name }) => name !== SHELL)
  return (
    <>
      <fieldset class="columns" aria-label={t('create.roles')}>
        {ROLES.map((role) => (
          <Field key={role} label={roleTitle(role)} error={role === 'ra' ? errors.roles : undefined}>
            <select class="input" name={`role_${role}`}>
              <option value="">{t('create.role.default')}</option>
              <AgentOptions agents={agents} />
            </select>
          </Field>
        ))}
      </fieldset>
      <Field label={t('create.parallel')} hint={t('create.parallel_hint')} error={errors.parallel}>
        <select class="input" name="parallel">
          <option value="">{common('create.agent.default')}</option>
          {PARALLEL.map((count) => (
            <option key={count}>{count}</option>
          ))}
        </select>
      </Field>
    </>
  )
}

/** The project's own settings hold where nothing was chosen. */
export function readRoles(form: FormData): Pick<NewCycle, 'roles' | 'parallel'> {
  const given = ROLES.map((role) => [role, fieldText(form, `role_${role}`)] as const).filter(
    ([, agent]) => agent !== '',
  )
  const parallel = fieldText(form, 'parallel')
  return {
    ...(given.length > 0 && { roles: Object.fromEntries(given) }),
    ...(parallel && { parallel: Number(parallel) }),
  }
}
