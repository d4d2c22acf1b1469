// Something that scrolls inside of the page, also by keyboard.
import type { ComponentChildren, Ref } from 'preact'

interface Scrolling {
  class: string
  label: string
  box?: Ref<HTMLElement>
  onScroll?: () => void
  children: ComponentChildren
}

export function Scroll({ class: name, label, box, onScroll, children }: Scrolling) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class={name} aria-label={label} tabIndex={0} {...(box && { ref: box })} {...(onScroll && { onScroll })}>
      {children}
    </section>
  )
}
