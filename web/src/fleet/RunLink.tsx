// A run of the fleet by its title: a link where a project that is served has its page.
import type { FleetRun } from '../api/fleet'
import { projects } from '../app/projects'
import { runHref } from '../app/router'
import { t } from './i18n'

export function RunLink({ run: { id, kind, title, project } }: { run: FleetRun }) {
  const isAlone = projects.value.length < 2
  return (
    <>
      {project === null ? (
        <span class="fleet-run" title={`${id}: ${t('run.elsewhere')}`}>
          {title}
        </span>
      ) : (
        <a class="fleet-run" href={runHref(kind, { id, project: isAlone ? undefined : project })} title={id}>
          {title}
        </a>
      )}
      {kind !== 'loop' && <span class="muted small"> {t(`run.${kind}`)}</span>}
    </>
  )
}
