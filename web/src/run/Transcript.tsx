// All that was said and done, of what the server still tells; by kind, by role and by words.
import { useState } from 'preact/hooks'
import { Picker } from '../ui/Picker'
import { Filter } from './Filter'
import { t } from './i18n'
import type { Block, Folded } from './notes'
import { Talk } from './Talk'

const KINDS = ['all', 'speech', 'tools', 'steps'] as const
type Kind = (typeof KINDS)[number]

const SHOWN: Readonly<Record<Kind, (block: Block) => boolean>> = {
  all: () => true,
  speech: ({ kind }) => kind === 'said' || kind === 'thought' || kind === 'message',
  tools: ({ kind }) => kind === 'tool' || kind === 'permission',
  steps: ({ kind }) => kind === 'step' || kind === 'line' || kind === 'plan',
}

interface Transcribed {
  talk: Folded | null
  status: string
  isLive: boolean
  /** Where there are several who speak: their names, and how they are called. */
  roles?: readonly (readonly [string, string])[]
  /** The one to show at first. */
  role?: string
}

export function Transcript({ talk, status, isLive, roles = [], role: preset = '' }: Transcribed) {
  const [kind, setKind] = useState<Kind>('all')
  const [words, setWords] = useState('')
  const [role, setRole] = useState(roles.some(([name]) => name === preset) ? preset : '')
  const wanted = (block: Block) =>
    SHOWN[kind](block) && (!role || block.role === role) && textOf(block).includes(words.trim().toLowerCase())
  return (
    <section class="stack" aria-label={t('tab.transcript')}>
      <div class="row transcript-bar">
        {roles.length > 0 && (
          <Picker
            label={t('talk.role')}
            value={role}
            options={[['', t('talk.everybody')], ...roles]}
            onPick={(picked) => setRole(picked)}
          />
        )}
        <Filter
          label={t('talk.search')}
          words={words}
          onWords={setWords}
          choices={KINDS.map((name) => [name, t(`talk.${name}`)] as const)}
          choice={kind}
          onChoice={setKind}
        />
      </div>
      <div class="card">
        <Talk key={`${kind} ${role}`} talk={talk} status={status} isLive={isLive} wanted={wanted} isTall />
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
