import { parseSync, Visitor } from 'rolldown/utils';

/** A file of TypeScript or JavaScript with a tab for each four spaces of indentation, but within a text of several lines. */
export function withTabs(path, text) {
  const texts = textsOf(path, text);
  return text.replaceAll(/^(?: {4})+/gm, (spaces, at) =>
    texts.some(({ start, end }) => start < at && at < end)
      ? spaces
      : '\t'.repeat(spaces.length / 4),
  );
}

function textsOf(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const texts = [];
  new Visitor({ TemplateLiteral: (node) => texts.push(node) }).visit(program);
  return texts;
}
