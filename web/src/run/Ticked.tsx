// Words with code between back ticks; everything else as it stands.
export function Ticked({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>
}
