// A row of buttons: what most people want first, rare commands folded away. What is not done at once asks first.
import { useRef, useState } from 'preact/hooks'
import { send as sendTo } from '../api/client'
import type { RunView } from '../api/types'
import { commandsAt, type RunAddress, type SendCommand } from '../app/address'
import { go, listHref } from '../app/router'
import { t } from '../i18n'
import type { RunKind } from '../run/RunKind'
import type { AnyParts } from '../run/resources'
import { Confirm } from '../ui/Confirm'
import { ProblemNotice } from '../ui/Notice'
import { useCommand } from '../ui/useCommand'
import { type CommandName, offerAt } from './commands'

interface CommandBarProps<State, Parts extends AnyParts<Parts>> {
  kind: RunKind<State, Parts>
  address: RunAddress
  view: RunView<State>
}

/** Done at once; any other command opens a dialog. */
const AT_ONCE: Readonly<Partial<Record<CommandName, (send: SendCommand) => Promise<unknown>>>> = {
  start: (send) => send('start'),
  pause: (send) => send('pause'),
  pause_now: (send) => send('pause', { now: true }),
  keep_paused: (send) => send('pause'),
  resume: (send) => send('resume'),
  take_up: (send) => send('resume'),
}
const DANGEROUS: readonly CommandName[] = ['stop', 'delete']

export function CommandBar<State, Parts extends AnyParts<Parts>>({
  kind,
  address,
  view,
}: CommandBarProps<State, Parts>) {
  const [asking, setAsking] = useState<CommandName | null>(null)
  const { busy, problem, run, clear } = useCommand()
  const { first, rest, urges } = offerAt(view.fleet, kind.offerOf(view.run, view.live))
  const act = (command: CommandName) => {
    clear()
    const now = AT_ONCE[command]
    if (now) void run(() => now(commandsAt(address)))
    else setAsking(command)
  }
  return (
    <fieldset class="actions" aria-label={t('do.label')}>
      <div class="row">
        {first.map((command, n) => (
          <CommandButton
            key={command}
            command={command}
            look={n === 0 && urges ? 'primary' : ''}
            busy={busy}
            onAct={act}
          />
        ))}
        {rest.length > 0 && <MoreCommands commands={rest} busy={busy} onAct={act} />}
      </div>
      <ProblemNotice problem={problem} />
      {asking !== null && (
        <CommandDialog kind={kind} address={address} view={view} command={asking} onClose={() => setAsking(null)} />
      )}
    </fieldset>
  )
}

type CommandDialogProps<State, Parts extends AnyParts<Parts>> = CommandBarProps<State, Parts> & {
  command: CommandName
  onClose: () => void
}

function CommandDialog<State, Parts extends AnyParts<Parts>>({
  kind,
  address,
  view,
  command,
  onClose,
}: CommandDialogProps<State, Parts>) {
  const send = commandsAt(address)
  if (command !== 'stop' && command !== 'delete' && command !== 'recover') {
    return kind.CommandDialog ? (
      <kind.CommandDialog command={command} send={send} state={view.run} onClose={onClose} />
    ) : null
  }
  const remove = async () => {
    await sendTo('DELETE', address.path())
    go(listHref(kind.name))
  }
  return (
    <Confirm
      title={kind.t(`do.${command}_title`)}
      words={kind.t(`do.${command}_words`)}
      command={t(`do.${command}`)}
      act={command === 'delete' ? remove : () => send(command)}
      onClose={onClose}
    />
  )
}

interface CommandButtonProps {
  busy: boolean
  onAct: (command: CommandName) => void
}

function CommandButton({
  command,
  look,
  busy,
  onAct,
}: CommandButtonProps & { command: CommandName; look: 'primary' | 'plain' | '' }) {
  const looks = [look, DANGEROUS.includes(command) && 'danger'].filter(Boolean).join(' ')
  const hint = command === 'pause_now' ? t('do.pause_now_hint') : undefined
  return (
    <button type="button" class={`button ${looks}`} disabled={busy} title={hint} onClick={() => onAct(command)}>
      {t(`do.${command}`)}
    </button>
  )
}

/** Rare commands, folded away. */
function MoreCommands({ commands, busy, onAct }: CommandButtonProps & { commands: readonly CommandName[] }) {
  const folded = useRef<HTMLDetailsElement>(null)
  const close = () => {
    if (folded.current) folded.current.open = false
  }
  return (
    <details
      class="rest"
      ref={folded}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        close()
        folded.current?.querySelector('summary')?.focus()
      }}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) close()
      }}
    >
      <summary class="button">{t('do.more')}</summary>
      <div class="card">
        {commands.map((command) => (
          <CommandButton
            key={command}
            command={command}
            look="plain"
            busy={busy}
            onAct={(picked) => {
              close()
              onAct(picked)
            }}
          />
        ))}
      </div>
    </details>
  )
}
