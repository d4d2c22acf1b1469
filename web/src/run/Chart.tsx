// A small chart over validations: stacked bars or a line. It follows the width it is given and the colours of the theme.
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isDark } from '../app/theme'
import { type Charting, drawn } from './drawing'

const HEIGHT = 150

export function Chart(charting: Charting) {
  const { label, runs, lines, told } = charting
  const box = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const dark = isDark()
  const content = JSON.stringify([runs, lines, charting.highest])

  useEffect(() => {
    const home = box.current
    if (!home) return
    let plot: uPlot | null = null
    let isOver = false
    const size = () => ({ width: Math.max(120, home.clientWidth), height: HEIGHT })
    void drawn(charting, size(), home, setPointed).then((made) => {
      if (isOver) made.destroy()
      else plot = made
    })
    const watcher = new ResizeObserver(() => plot?.setSize(size()))
    watcher.observe(home)
    return () => {
      isOver = true
      watcher.disconnect()
      plot?.destroy()
    }
    // `content` stands for what is drawn; the objects are new with every look.
  }, [content, dark])

  return (
    <figure class="chart">
      <figcaption>
        <strong>{label}</strong>
        <span class="muted small">{told(pointed ?? runs.length - 1)}</span>
      </figcaption>
      <div class="chart-box" ref={box} role="img" aria-label={`${label}: ${told(runs.length - 1)}`} />
      {lines.length > 1 && (
        <ul class="legend small" aria-hidden="true">
          {lines.map((line) => (
            <li key={line.name}>
              <i style={{ background: `var(${line.colour})` }} />
              {line.name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}
