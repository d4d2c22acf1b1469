// All that was said and done, of what the server still tells; by kind and by words.
import { useState } from 'preact/hooks'
import { Filter } from './Filter'
import { t } from './i18n'
import type { Block } from './notes'
import type { Section } from './Tabbed'
import { Talk } from './Talk'

const KINDS = ['all', 'speech', 'tools', 'steps'] as const
type Kind = (typeof KINDS)[number]

const SHOWN: Readonly<Record<Kind, (block: Block) => boolean>> = {
  all: () => true,
  speech: ({ kind }) => kind === 'said' || kind === 'thought' || kind === 'message',
  tools: ({ kind }) => kind === 'tool' || kind === 'permission',
  steps: ({ kind }) => kind === 'step' || kind === 'line' || kind === 'plan',
}

export function Transcript({ seen, view }: Section) {
  const [kind, setKind] = useState<Kind>('all')
  const [words, setWords] = useState('')
  const wanted = (block: Block) => SHOWN[kind](block) && textOf(block).includes(words.trim().toLowerCase())
  return (
    <section class="stack" aria-label={t('tab.transcript')}>
      <Filter
        label={t('talk.search')}
        words={words}
        onWords={setWords}
        choices={KINDS.map((name) => [name, t(`talk.${name}`)] as const)}
        choice={kind}
        onChoice={setKind}
      />
      <div class="card">
        <Talk key={kind} talk={seen.talk.value} status={view.loop.status} isLive={view.live} wanted={wanted} isTall />
      </div>
    </section>
  )
}

function textOf(block: Block): string {
  return Object.values(block)
    .filter((part) => typeof part === 'string')
    .join(' ')
    .toLowerCase()
}
