/** Declarations with a tab for each four spaces of indentation: no declaration has a text of more than one line. */
export function withTabs(text) {
  return text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}
