// All loops, live.
import { createLoop } from '../api/loops'
import type { Status } from '../api/types'
import { loopPlace } from '../app/place'
import { loopHref } from '../app/router'
import { t } from '../i18n'
import { CreateDialog } from '../listing/CreateDialog'
import { ListPage } from '../listing/ListPage'
import { Empty } from './Empty'
import { LoopRow } from './LoopRow'
import { loops } from './loops'

const STATUSES: readonly Status[] = ['running', 'paused', 'user_exit', 'created', 'completed', 'failed']

export function LoopsPage() {
  return (
    <ListPage
      list={loops}
      statuses={STATUSES.map((name) => [name, t(`status.${name}`)] as const)}
      words={{
        title: t('loops.title'),
        create: t('loops.new'),
        search: t('loops.search'),
        searchLabel: t('loops.search_label'),
        loading: t('loops.loading'),
        count: (n) => t('loops.count', { n }),
        damaged: (n) => t('loops.damaged', { n }),
        none: { title: t('loops.none.title'), words: t('loops.none.words'), clear: t('loops.none.clear') },
      }}
      href={loopHref}
      row={(loop, several) => <LoopRow key={loop.id} loop={loop} several={several} />}
      empty={(create) => <Empty onCreate={create} />}
      dialog={(close) => (
        <CreateDialog
          title={t('create.title')}
          hint={t('create.task_hint')}
          modeHint={(mode) => t(`create.mode.${mode}_hint`)}
          agentLabel={t('create.agent')}
          create={async (body, _, project) => (await createLoop(body, project)).loop_id}
          place={loopPlace}
          project={loops.filter.value.project}
          onClose={close}
        />
      )}
    />
  )
}
