// One block of a transcript.
import type { ComponentChildren } from 'preact'
import { clock } from '../ui/format'
import { t } from './i18n'
import { Fold, Scroll } from './panels'
import { Prose, Ticked } from './text'
import type { Block, ToolStatus } from './transcript'

export function TranscriptBlock({ block, isNow }: { block: Block; isNow: boolean }) {
  switch (block.kind) {
    case 'step':
      return (
        <h3 class="block-step">
          <span>{block.action}</span>
          <time dateTime={block.at}>{clock(block.at)}</time>
        </h3>
      )
    case 'said':
      return <Prose text={block.text} />
    case 'thought':
      return (
        <Titled name={t('transcript.thought')} hint={firstLine(block.text)}>
          <p class="pre">{block.text}</p>
        </Titled>
      )
    case 'message':
      return (
        <Titled name={t('transcript.message', { agent: block.agent })} hint={firstLine(block.text)}>
          {block.brief && <p class="pre muted">{block.brief}</p>}
          <p class="pre">{block.text}</p>
        </Titled>
      )
    case 'tool':
      return <ToolRow call={block} />
    case 'permission':
      return (
        <p class={`block-line ${block.allowed ? 'result' : 'trouble'}`}>
          <strong>{t(block.allowed ? 'transcript.allowed' : 'transcript.refused')}</strong> {block.title}
          {block.reason && <span class="muted"> · {block.reason}</span>}
        </p>
      )
    case 'plan':
      return (
        <ul class="plan block-plan" aria-label={t('transcript.plan')}>
          {block.entries.map(({ what, status }, at) => (
            <li key={at} class={status}>
              <span class="mark" aria-hidden="true">
                {status === 'completed' ? '✓' : status === 'in_progress' ? '▸' : '○'}
              </span>
              <span>{what}</span>
            </li>
          ))}
        </ul>
      )
    case 'line':
      return (
        <p class={`block-line ${block.tone}`}>
          {isNow && block.tone === 'activity' && <span class="dot live" aria-hidden="true" />}
          <Ticked text={block.text} />
        </p>
      )
  }
}

const MARKS: Readonly<Record<ToolStatus, string>> = { pending: '·', in_progress: '▸', completed: '✓', failed: '✗' }

function ToolRow({ call }: { call: Extract<Block, { kind: 'tool' }> }) {
  const about = call.command ?? call.paths.join(', ')
  const row = (
    <>
      <span class="mark" aria-hidden="true">
        {MARKS[call.status]}
      </span>
      <span class="sr-only">{t(`tool.${call.status}`)}</span>
      <span class="what">{call.title}</span>
      {about && !call.title.includes(about) && <code>{about}</code>}
    </>
  )
  if (!call.output) return <div class={`block-tool ${call.status}`}>{row}</div>
  return (
    <Fold class={`block-tool ${call.status}`} summary={row}>
      <Scroll class="output" label={t('transcript.output', { tool: call.title })}>
        {call.output}
      </Scroll>
    </Fold>
  )
}

function Titled({ name, hint, children }: { name: string; hint: string; children: ComponentChildren }) {
  const summary = (
    <>
      {name} <span class="teaser">{hint}</span>
    </>
  )
  return (
    <Fold class="block-fold" summary={summary}>
      {children}
    </Fold>
  )
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, 160) ?? ''
}
