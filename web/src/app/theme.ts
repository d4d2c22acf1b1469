// Light, dark, or as the system has it. The colours themselves are in style/tokens.css.
import { effect, signal } from '@preact/signals'

export const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const KEPT = 'loopwright.theme'

function storedTheme(): Theme {
  const found = localStorage.getItem(KEPT)
  return THEMES.find((theme) => theme === found) ?? 'auto'
}

export const theme = signal<Theme>(storedTheme())

export function setTheme(wanted: Theme): void {
  localStorage.setItem(KEPT, wanted)
  theme.value = wanted
}

const system = window.matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(system.matches)
system.addEventListener('change', (event) => {
  systemIsDark.value = event.matches
})

/** Whether it is dark now: for whatever draws on a canvas and has to draw anew. */
export function isDark(): boolean {
  return theme.value === 'auto' ? systemIsDark.value : theme.value === 'dark'
}

/** A colour of tokens.css as the canvas understands it, such as `colour('--accent')`. */
export function resolveColour(token: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

effect(() => {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
})
