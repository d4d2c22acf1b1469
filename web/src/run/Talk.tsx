// What is said and done, as it happens: follows the end until the person scrolls up, and shows no more at once than a
// browser draws with ease.
import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Key, t } from './i18n'
import type { Block, Folded } from './notes'
import { Said } from './Said'
import { Scroll } from './Scroll'

const SHOWN = 120
/** As near to the end as this counts as being there. Pixels. */
const NEAR = 48

interface Talking {
  talk: Folded | null
  status: string
  isLive: boolean
  /** Only some of the blocks; the order stays. */
  wanted?: (block: Block) => boolean
  isTall?: boolean
}

export function Talk({ talk, status, isLive, wanted, isTall }: Talking) {
  const box = useRef<HTMLElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  /** Where the window begins; null: at the last SHOWN blocks. */
  const [from, setFrom] = useState<number | null>(null)
  const all = talk ? (wanted ? talk.blocks.filter(wanted) : talk.blocks) : []
  const blocks = from === null ? all.slice(-SHOWN) : all.filter((block) => block.key >= from)
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
    setFrom(all[Math.max(0, earlier - SHOWN)]?.key ?? null)
  }

  if (!talk) return <div class="talk-empty muted">{t('loading')}</div>
  if (!all.length) return <div class="talk-empty muted">{t(emptyWords(status, isLive))}</div>
  return (
    <div class="talk-frame">
      <Scroll class={`talk${isTall ? ' tall' : ''}`} label={t('talk.label')} box={box} onScroll={scrolled}>
        {earlier > 0 && (
          <button type="button" class="button plain small" onClick={showEarlier}>
            {t('talk.earlier', { n: earlier })}
          </button>
        )}
        {talk.dropped > 0 && earlier === 0 && <p class="muted small">{t('talk.dropped', { n: talk.dropped })}</p>}
        {blocks.map((block, at) => (
          <Fragment key={block.key}>
            {block.role && block.kind !== 'step' && block.role !== blocks[at - 1]?.role && (
              <p class={`said-role ${block.role}`}>{block.role}</p>
            )}
            <Said block={block} isNow={isLive && block === all.at(-1)} />
          </Fragment>
        ))}
      </Scroll>
      {!isFollowing && (
        <button type="button" class="button talk-latest" onClick={() => setFollowing(true)}>
          {t('talk.latest')}
        </button>
      )}
    </div>
  )
}

function emptyWords(status: string, isLive: boolean): Key {
  if (status === 'created') return 'talk.not_started'
  return isLive ? 'talk.nothing_yet' : 'talk.nothing'
}
