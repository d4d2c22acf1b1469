// The transcript of a run: what its agents say and do.
import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Picker } from '../ui/Picker'
import { Filter } from './Filter'
import { type Key, t } from './i18n'
import { Scroll } from './panels'
import { TranscriptBlock } from './TranscriptBlock'
import type { Block, Transcript } from './transcript'

const AT_ONCE = 120
/** As near to the end as this counts as being there. Pixels. */
const NEAR = 48

interface LiveTranscriptProps {
  transcript: Transcript | null
  status: string
  isLive: boolean
  /** Only some of the blocks; the order stays. */
  wanted?: (block: Block) => boolean
  isTall?: boolean
}

/**
 * What is said and done, as it happens: follows the end until the person scrolls up, and shows no more at once than a
 * browser draws with ease.
 */
export function LiveTranscript({ transcript, status, isLive, wanted, isTall }: LiveTranscriptProps) {
  const box = useRef<HTMLElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  /** Where the window begins; null: at the last AT_ONCE blocks. */
  const [from, setFrom] = useState<number | null>(null)
  const all = transcript ? (wanted ? transcript.blocks.filter(wanted) : transcript.blocks) : []
  const blocks = from === null ? all.slice(-AT_ONCE) : all.filter((block) => block.key >= from)
  const earlier = all.length - blocks.length

  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  })
  useEffect(() => {
    // While somebody reads further up, the window may grow at its end, but not move.
    setFrom((known) => (isFollowing ? null : (known ?? blocks[0]?.key ?? null)))
  }, [isFollowing])

  const scrolled = () => {
    const at = box.current
    if (at) setFollowing(at.scrollHeight - at.scrollTop - at.clientHeight < NEAR)
  }
  const showEarlier = () => {
    setFollowing(false)
    setFrom(all[Math.max(0, earlier - AT_ONCE)]?.key ?? null)
  }

  if (!transcript) return <div class="transcript-empty muted">{t('loading')}</div>
  if (!all.length) return <div class="transcript-empty muted">{t(emptyWords(status, isLive))}</div>
  return (
    <div class="transcript-frame">
      <Scroll class={`transcript${isTall ? ' tall' : ''}`} label={t('transcript.label')} box={box} onScroll={scrolled}>
        {earlier > 0 && (
          <button type="button" class="button plain small" onClick={showEarlier}>
            {t('transcript.earlier', { n: earlier })}
          </button>
        )}
        {transcript.dropped > 0 && earlier === 0 && (
          <p class="muted small">{t('transcript.dropped', { n: transcript.dropped })}</p>
        )}
        {blocks.map((block, at) => (
          <Fragment key={block.key}>
            {block.role && block.kind !== 'step' && block.role !== blocks[at - 1]?.role && (
              <p class={`block-role ${block.role}`}>{block.role}</p>
            )}
            <TranscriptBlock block={block} isNow={isLive && block === all.at(-1)} />
          </Fragment>
        ))}
      </Scroll>
      {!isFollowing && (
        <button type="button" class="button transcript-latest" onClick={() => setFollowing(true)}>
          {t('transcript.latest')}
        </button>
      )}
    </div>
  )
}

function emptyWords(status: string, isLive: boolean): Key {
  if (status === 'created') return 'transcript.not_started'
  return isLive ? 'transcript.nothing_yet' : 'transcript.nothing'
}

const KINDS = ['all', 'speech', 'tools', 'steps'] as const
type Kind = (typeof KINDS)[number]

const SHOWN: Readonly<Record<Kind, (block: Block) => boolean>> = {
  all: () => true,
  speech: ({ kind }) => kind === 'said' || kind === 'thought' || kind === 'message',
  tools: ({ kind }) => kind === 'tool' || kind === 'permission',
  steps: ({ kind }) => kind === 'step' || kind === 'line' || kind === 'plan',
}

interface TranscriptSearchProps extends Pick<LiveTranscriptProps, 'transcript' | 'status' | 'isLive'> {
  /** Where there are several who speak: their names, and how they are called. */
  roles?: readonly (readonly [string, string])[]
  /** The one to show at first. */
  role?: string
}

/** All of it that the server still tells; by kind, by role and by words. */
export function TranscriptSearch({ transcript, status, isLive, roles = [], role: preset = '' }: TranscriptSearchProps) {
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
            label={t('transcript.role')}
            value={role}
            options={[['', t('transcript.everybody')], ...roles]}
            onPick={(picked) => setRole(picked)}
          />
        )}
        <Filter
          label={t('transcript.search')}
          words={words}
          onWords={setWords}
          choices={KINDS.map((name) => [name, t(`transcript.${name}`)] as const)}
          choice={kind}
          onChoice={setKind}
        />
      </div>
      <div class="card">
        <LiveTranscript
          key={`${kind} ${role}`}
          transcript={transcript}
          status={status}
          isLive={isLive}
          wanted={wanted}
          isTall
        />
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
