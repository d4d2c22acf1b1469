// A search field and a choice of what is shown.
interface FilterProps<Choice extends string> {
  label: string
  words: string
  onWords: (words: string) => void
  /** Name, words, and how many there are of it. */
  choices: readonly (readonly [Choice, string, number?])[]
  choice: Choice
  onChoice: (choice: Choice) => void
}

export function Filter<Choice extends string>(filtering: FilterProps<Choice>) {
  const { label, words, onWords, choices, choice, onChoice } = filtering
  return (
    <search class="filter">
      <input
        type="search"
        class="field"
        placeholder={label}
        aria-label={label}
        value={words}
        onInput={(event) => onWords(event.currentTarget.value)}
      />
      <fieldset class="choices">
        {choices.map(([name, spoken, count]) => (
          <button key={name} type="button" aria-pressed={name === choice} onClick={() => onChoice(name)}>
            {spoken}
            {count !== undefined && <span class="count">{count}</span>}
          </button>
        ))}
      </fieldset>
    </search>
  )
}
