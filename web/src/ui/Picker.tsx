// A small choice of one of a few. The label is for screen readers; the choice shows by itself.
interface PickerProps<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [Value, string])[]
  onPick: (value: Value) => void
}

export function Picker<Value extends string>({ label, value, options, onPick }: PickerProps<Value>) {
  return (
    <select
      class="picker"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const picked = options[event.currentTarget.selectedIndex]
        if (picked) onPick(picked[0])
      }}
    >
      {options.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </select>
  )
}
