type Listener = (event: never) => void;
type Props = Readonly<Record<string, string | number | boolean | undefined | Listener>>;

/** Makes an element: `on…` are listeners, the rest are attributes; false and undefined leave one out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  props: Props = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  assign(element, props);
  element.append(...children);
  return element;
}

/** Makes an element of SVG, likewise. */
export function s<K extends keyof SVGElementTagNameMap>(
  name: K,
  props: Props = {},
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  assign(element, props);
  return element;
}

function assign(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function')
      // The name says which event it is, so the listener gets the event that it takes.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      element.addEventListener(name.slice(2), (event: Event) => value(event as never));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** A button; its label is what screen readers say, if its text is a sign. */
export function button(text: string, label: string, onclick: () => void): HTMLButtonElement {
  return h('button', { type: 'button', 'aria-label': label, title: label, onclick }, text);
}
