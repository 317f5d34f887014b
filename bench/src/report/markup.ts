const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}

/** Makes an element; `content` is markup. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string,
): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(`${value}`)}"`,
  );
  return `<${name}${written.join('')}>${content}</${name}>`;
}
