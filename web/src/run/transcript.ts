// What was said and done, line by line, folded into what a person reads: bursts of one speech become one block, and a
// tool call is one row however often it was told. Pure.

/** A line of the transcript; what else it holds depends on its kind (docs/files.md). */
export interface Note {
  ts: string
  after: number
  kind: string
  text: string
  [more: string]: unknown
}

export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

interface Common {
  /** Counts up and never changes: what the page knows a block by. */
  key: number
  at: string
  /** Who it is of, where several work at once; a loop has one agent only. */
  role: string | null
}

export type Block = Common &
  (
    | { kind: 'step'; action: string }
    | { kind: 'said' | 'thought'; text: string }
    | {
        kind: 'tool'
        id: string
        title: string
        tool: string
        status: ToolStatus
        paths: string[]
        command: string | null
        output: string
      }
    | { kind: 'permission'; title: string; allowed: boolean; reason: string; by: string }
    | { kind: 'plan'; entries: { what: string; status: string }[] }
    | { kind: 'message'; agent: string; text: string; brief: string }
    | { kind: 'line'; tone: Tone; text: string }
  )

export type Tone = 'activity' | 'result' | 'agent' | 'discovery' | 'trouble' | 'aside'

/** `dropped`: how many blocks are too long ago to be kept. */
export interface Transcript {
  blocks: readonly Block[]
  dropped: number
  next: number
}

export const EMPTY: Transcript = { blocks: [], dropped: 0, next: 1 }

/** More than a person reads back on the page; the file has all of it. */
export const MOST_BLOCKS = 800
/** A longer speech goes on in a block of its own, so that a flood costs no more than its last part. */
export const LONGEST_SPEECH = 6000
const LONGEST_OUTPUT = 8000
/** A tool call is looked for this far back. */
const REACH = 200

const TONES: Readonly<Record<string, Tone>> = {
  activity: 'activity',
  result: 'result',
  agent: 'agent',
  discovery: 'discovery',
  trouble: 'trouble',
}

/** Folds what came. What was there stays as it is, object by object, unless it has changed. */
export function foldNotes(before: Transcript, notes: readonly Note[]): Transcript {
  const blocks = [...before.blocks]
  let { next, dropped } = before
  for (const note of notes) {
    if (isJoined(blocks, note)) continue
    const block = blockOf(note, next)
    if (!block) continue
    blocks.push(block)
    next += 1
    // In portions, so that a flood does not move the whole list for each of its notes.
    if (blocks.length > 2 * MOST_BLOCKS) dropped += blocks.splice(0, blocks.length - MOST_BLOCKS).length
  }
  if (blocks.length > MOST_BLOCKS) dropped += blocks.splice(0, blocks.length - MOST_BLOCKS).length
  return { blocks, dropped, next }
}

/** What came through the stream, if it is a note at all. */
export function noteOf(data: unknown): Note | null {
  if (typeof data !== 'object' || data === null) return null
  const { ts, after, kind, text } = data as Record<string, unknown>
  if (typeof ts !== 'string' || typeof kind !== 'string') return null
  return {
    ...data,
    ts,
    kind,
    after: typeof after === 'number' ? after : 0,
    text: typeof text === 'string' ? text : '',
  }
}

/** Whether the note went on with a block that is there, and begins none. */
function isJoined(blocks: Block[], note: Note): boolean {
  if (note.kind === 'tool') return isToolUpdated(blocks, note)
  const at = lastOf(blocks, roleOf(note))
  const last = blocks[at]
  if (last?.kind === 'plan' && note.kind === 'plan') {
    blocks[at] = { ...last, entries: entriesOf(note.entries) }
    return true
  }
  if (!last || (last.kind !== 'said' && last.kind !== 'thought') || last.kind !== note.kind) return false
  if (last.text.length + note.text.length > LONGEST_SPEECH) return false
  blocks[at] = { ...last, text: last.text + note.text }
  return true
}

/** The last block of that role's: others may have spoken meanwhile. */
function lastOf(blocks: readonly Block[], role: string | null): number {
  for (let at = blocks.length - 1; at >= 0 && at >= blocks.length - REACH; at--)
    if (blocks[at]?.role === role) return at
  return -1
}

function roleOf(note: Note): string | null {
  return textOf(note.role) || null
}

function isToolUpdated(blocks: Block[], note: Note): boolean {
  const id = textOf(note.id)
  for (let at = blocks.length - 1; at >= 0 && at >= blocks.length - REACH; at--) {
    const block = blocks[at]
    if (block?.role !== roleOf(note)) continue
    if (block.kind === 'step') return false
    if (block.kind !== 'tool' || block.id !== id) continue
    const now = toolOf(note)
    blocks[at] = {
      ...block,
      status: now.status,
      title: now.title || block.title,
      paths: now.paths.length ? now.paths : block.paths,
      command: now.command ?? block.command,
      output: now.output || block.output,
    }
    return true
  }
  return false
}

function blockOf(note: Note, key: number): Block | null {
  const common = { key, at: note.ts, role: roleOf(note) }
  switch (note.kind) {
    case 'action':
      return { ...common, kind: 'step', action: note.text }
    case 'said':
    case 'thought':
      return note.text ? { ...common, kind: note.kind, text: note.text } : null
    case 'tool': {
      const call = toolOf(note)
      return { ...common, kind: 'tool', ...call, title: call.title || call.tool || call.id }
    }
    case 'permission':
      return {
        ...common,
        kind: 'permission',
        title: textOf(note.title) || note.text,
        allowed: note.allowed === true,
        reason: textOf(note.reason),
        by: textOf(note.by),
      }
    case 'plan':
      return { ...common, kind: 'plan', entries: entriesOf(note.entries) }
    case 'message':
      // The built-in agent is asked without words.
      return note.text
        ? { ...common, kind: 'message', agent: textOf(note.agent), text: note.text, brief: textOf(note.brief) }
        : null
    case 'turn':
    case 'able':
      // For `replay`; people see the result.
      return null
    default:
      return note.text ? { ...common, kind: 'line', tone: TONES[note.kind] ?? 'aside', text: note.text } : null
  }
}

function toolOf(note: Note) {
  const paths = note.paths
  const command = textOf(note.command)
  const id = textOf(note.id)
  return {
    id,
    title: textOf(note.title),
    tool: textOf(note.tool),
    status: toolStatus(note.status),
    paths: Array.isArray(paths) ? paths.map(textOf).filter(Boolean) : [],
    command: command || null,
    output: textOf(note.output).slice(0, LONGEST_OUTPUT),
  }
}

function toolStatus(value: unknown): ToolStatus {
  return value === 'in_progress' || value === 'completed' || value === 'failed' ? value : 'pending'
}

/** Pairs of what and how it stands. */
function entriesOf(value: unknown): { what: string; status: string }[] {
  if (!Array.isArray(value)) return []
  return value.filter(Array.isArray).map((pair) => ({ what: textOf(pair[0]), status: textOf(pair[1]) }))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
