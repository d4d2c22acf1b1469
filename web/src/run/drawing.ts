// The chart on its canvas, by uPlot; loaded when the first chart is shown.
import type uPlot from 'uplot'
import { resolveColour } from '../app/theme'
import type { Column } from './series'

export interface Line {
  name: string
  /** A token of tokens.css. */
  colour: string
  values: Column
  /** Bars are stacked in the order of the lines. */
  isBar: boolean
}

export interface ChartContent {
  label: string
  runs: number[]
  lines: readonly Line[]
  highest?: number
  /** What one run says, for the caption. */
  describe: (at: number) => string
}

const BAR_WIDTH = 0.7
const WIDEST_BAR = 28
const FONT = '11px ui-sans-serif, system-ui, sans-serif'

export async function drawChart(
  charting: ChartContent,
  size: { width: number; height: number },
  home: HTMLElement,
  onPoint: (at: number | null) => void,
): Promise<uPlot> {
  const { default: Plot } = await import('uplot')
  const { runs, lines, highest } = charting
  const bars = Plot.paths.bars?.({ size: [BAR_WIDTH, WIDEST_BAR], radius: 0 })
  const isBars = lines.some((line) => line.isBar)
  const columns = isBars ? stackColumns(lines.map((line) => line.values)) : lines.map((line) => line.values)
  // The highest bar is drawn first, the others in front of it.
  const order = isBars ? lines.map((_, at) => lines.length - 1 - at) : lines.map((_, at) => at)
  const options: uPlot.Options = {
    ...size,
    legend: { show: false },
    cursor: { y: false, points: { show: !isBars }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, least, most) => [least - 0.6, most + 0.6] },
      y: { range: (_, __, most) => [0, highest ?? Math.max(1, most * 1.05)] },
    },
    axes: [
      axis({ incrs: [1, 2, 5, 10, 20, 50, 100], size: 24, filter: hideOtherRuns(runs.length) }),
      axis({ size: 40, space: 28 }),
    ],
    series: [
      {},
      ...order.map((at) => {
        const line = lines[at] as Line
        const ink = resolveColour(line.colour)
        return line.isBar && bars
          ? { label: line.name, fill: ink, stroke: ink, width: 0, paths: bars, points: { show: false } }
          : { label: line.name, stroke: ink, width: 2, points: { show: true, size: 6, fill: ink }, spanGaps: true }
      }),
    ],
    hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
  }
  return new Plot(options, [runs, ...order.map((at) => columns[at] as Column)], home)
}

/** The axis goes a little further than the runs do; there is no run 0. */
function hideOtherRuns(count: number): uPlot.Axis.Filter {
  return (_, splits) => splits.map((at) => (at >= 1 && at <= count ? at : null))
}

function axis(own: uPlot.Axis): uPlot.Axis {
  const line = { stroke: resolveColour('--line'), width: 1 }
  return { stroke: resolveColour('--muted'), font: FONT, grid: line, ticks: { ...line, size: 4 }, ...own }
}

/** Each column on top of those before it. */
function stackColumns(columns: readonly Column[]): Column[] {
  const sums = new Array<number>(columns[0]?.length ?? 0).fill(0)
  return columns.map((column) =>
    column.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return sums[at] ?? 0
    }),
  )
}
