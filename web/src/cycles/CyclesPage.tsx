// All cycles, live.
import { type CycleStatus, createCycle } from '../api/cycles'
import { cyclePlace } from '../app/place'
import { cycleHref } from '../app/router'
import { t } from '../cycle/i18n'
import { t as common } from '../i18n'
import { CreateDialog } from '../listing/CreateDialog'
import { ListPage } from '../listing/ListPage'
import { CycleRow } from './CycleRow'
import { cycles } from './cycles'
import { chosen, Roles } from './Roles'

const STATUSES: readonly CycleStatus[] = ['running', 'paused', 'created', 'completed', 'failed']

export function CyclesPage() {
  return (
    <ListPage
      list={cycles}
      statuses={STATUSES.map((name) => [name, common(`status.${name}`)] as const)}
      words={{
        title: t('list.title'),
        create: t('list.new'),
        search: common('loops.search'),
        searchLabel: t('list.search'),
        loading: t('list.loading'),
        count: (n) => t('list.count', { n }),
        damaged: (n) => t('list.damaged', { n }),
        none: { title: common('loops.none.title'), words: t('list.none'), clear: t('list.clear') },
      }}
      href={cycleHref}
      row={(cycle, several) => <CycleRow key={cycle.id} cycle={cycle} several={several} />}
      empty={(create) => <Empty onCreate={create} />}
      dialog={(close) => (
        <CreateDialog
          title={t('list.new')}
          hint={t('create.hint')}
          modeHint={(mode) => t(`create.mode.${mode}`)}
          agentLabel={t('create.agent')}
          create={async (body, form, project) => (await createCycle({ ...body, ...chosen(form) }, project)).cycle_id}
          place={cyclePlace}
          project={cycles.filter.value.project}
          onClose={close}
          more={(project, wrong) => <Roles project={project} wrong={wrong} />}
        />
      )}
    />
  )
}

function Empty({ onCreate }: { onCreate: () => void }) {
  return (
    <section class="blank card">
      <h2>{t('list.empty')}</h2>
      <p>{t('list.empty_words')}</p>
      <p>
        <button type="button" class="button primary" onClick={onCreate}>
          {t('list.new')}
        </button>
      </p>
      <p class="muted small">
        {common('loops.empty.terminal')} <code>loopwright cycle run --auto "…"</code>
      </p>
    </section>
  )
}
