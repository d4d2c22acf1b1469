// Server-sent events that come back by themselves: the browser does it after a lost line, and we do it where it gives up.
import { signal } from '@preact/signals'

type Connection = 'connecting' | 'live' | 'offline'

/** How the page's stream is; the banner shows it. */
export const connection = signal<Connection>('connecting')

/** Milliseconds, as those below. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8000
/** Shorter breaks are not worth a word. */
const PATIENCE = 1200
/** A tab that nobody looks at gives its connection back after this: a browser has six for one server, in all its tabs. */
const UNSEEN = 60_000

interface Subscription {
  /** Asked anew at each connection: `?after=` can say what was seen last. */
  url: () => string
  /** By the event's name; `data` is parsed JSON, `id` says where in the stream it stands. */
  on: Record<string, (data: unknown, id: string) => void>
  /** After every connection but the first one. */
  again?: () => void
  /** The server answered, and with no stream: what is followed may not be there any more. */
  refused?: () => void
}

/** Listens until the returned function is called. */
export function subscribe({ url, on, again, refused }: Subscription): () => void {
  let source: EventSource | null = null
  let timer = 0
  let pause = FIRST_PAUSE
  let opened = 0
  let lostTimer = 0
  let unseenTimer = 0
  let isAsleep = false

  const lost = () => {
    lostTimer ||= window.setTimeout(() => {
      connection.value = 'offline'
    }, PATIENCE)
  }
  const found = () => {
    window.clearTimeout(lostTimer)
    lostTimer = 0
    pause = FIRST_PAUSE
    connection.value = 'live'
    opened += 1
    if (opened > 1) again?.()
  }
  const open = () => {
    source?.close()
    source = new EventSource(url())
    source.onopen = found
    source.onerror = () => {
      lost()
      // CONNECTING: the browser tries by itself, with Last-Event-ID. CLOSED: it was refused, and nobody tries but us.
      if (source?.readyState === EventSource.CLOSED) {
        window.clearTimeout(timer)
        timer = window.setTimeout(open, pause)
        pause = Math.min(2 * pause, LONGEST_PAUSE)
        refused?.()
      }
    }
    for (const [name, act] of Object.entries(on)) {
      source.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>
        act(JSON.parse(data), lastEventId)
      })
    }
  }
  const online = () => {
    if (connection.value !== 'live' && !isAsleep) open()
  }
  const sleep = () => {
    isAsleep = true
    source?.close()
    window.clearTimeout(timer)
  }
  const seen = () => {
    window.clearTimeout(unseenTimer)
    if (document.hidden) unseenTimer = window.setTimeout(sleep, UNSEEN)
    else if (isAsleep) {
      isAsleep = false
      open()
    }
  }

  connection.value = 'connecting'
  open()
  window.addEventListener('online', online)
  document.addEventListener('visibilitychange', seen)
  return () => {
    connection.value = 'connecting'
    source?.close()
    window.clearTimeout(timer)
    window.clearTimeout(lostTimer)
    window.clearTimeout(unseenTimer)
    window.removeEventListener('online', online)
    document.removeEventListener('visibilitychange', seen)
  }
}
