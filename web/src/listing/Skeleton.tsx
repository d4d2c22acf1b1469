const WIDTHS = ['62%', '44%', '55%', '38%', '50%']

/** The list's shape until it is there. */
export function Skeleton({ words }: { words: string }) {
  return (
    <div class="list-rows card" role="status">
      <span class="sr-only">{words}</span>
      {WIDTHS.map((width) => (
        <div key={width} class="list-row" aria-hidden="true">
          <span class="bone" />
          <span class="bone" style={{ width }} />
        </div>
      ))}
    </div>
  )
}
