// The choices of the create dialog.
import type { Mode } from '../api/types'
import { t } from '../i18n'

const MODES: readonly Mode[] = ['auto', 'interactive']

interface Choosing {
  name: string
  /** What an empty choice means. */
  fallback: string
  children: readonly (readonly [string, string])[]
}

export function Choice({ name, fallback, children, ...rest }: Choosing) {
  return (
    <select class="input" name={name} {...rest}>
      <option value="">{fallback}</option>
      {children.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** `hint` says what each mode means. */
export function Modes({ hint }: { hint: (mode: Mode) => string }) {
  return (
    <fieldset class="modes">
      <legend>{t('create.mode')}</legend>
      {MODES.map((mode) => (
        <label key={mode} class="mode">
          <input type="radio" name="mode" value={mode} defaultChecked={mode === 'auto'} />
          <span>
            {t(`create.mode.${mode}`)}
            <small class="hint">{hint(mode)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
