// All tuning sessions, live.
import type { TuningStatus } from '../api/tunings'
import { tuningHref } from '../app/router'
import { t as common } from '../i18n'
import { ListPage } from '../listing/ListPage'
import { t } from '../tuning/i18n'
import { NewTuningDialog } from './NewTuningDialog'
import { TuningRow } from './TuningRow'
import { tunings } from './tunings'

const STATUSES: readonly TuningStatus[] = ['running', 'pending', 'completed', 'failed']

export function TuningsPage() {
  return (
    <ListPage
      list={tunings}
      statuses={STATUSES.map((name) => [name, t(`status.${name}`)] as const)}
      words={{
        title: t('list.title'),
        create: t('list.new'),
        search: t('list.search_hint'),
        searchLabel: t('list.search'),
        loading: t('list.loading'),
        count: (n) => t('list.count', { n }),
        damaged: (n) => t('list.damaged', { n }),
        none: { title: common('loops.none.title'), words: t('list.none'), clear: t('list.clear') },
      }}
      href={tuningHref}
      row={(tuning, several) => <TuningRow key={tuning.id} tuning={tuning} several={several} />}
      empty={(create) => <Empty onCreate={create} />}
      dialog={(close) => <NewTuningDialog project={tunings.filter.value.project} onClose={close} />}
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
        {common('loops.empty.terminal')} <code>loopwright tune .claude/skills/NAME</code>
      </p>
    </section>
  )
}
