import { parse, type SourceFile, walk } from './source-file.ts';

/** Files that may name locks: their records in `locks/`, their packages, and the steps of the sale. */
const HOMES: readonly RegExp[] = [
  /^harness\/src\/locks\//,
  /^harness\/src\/sale\/steps[a-z-]*\.ts$/,
  /^(?:packages\/(?:redis-simple|redis-getset|redlock|zk|postgres)|harness\/src\/exhibits)\//,
  // The in-memory lock lives in core.
  /^packages\/core\/src\/memory\//,
];

/**
 * Files that spell the name of a lock, as a string or as a key, though they are no home of it; with what they spell.
 * @param kinds of servers: where a lock is called like its servers, their name is meant
 */
export function spelledLocks(
  files: readonly SourceFile[],
  names: readonly string[],
  kinds: readonly string[] = [],
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(names.filter((name) => !kinds.includes(name)));
  const backends = new Set(names.map((name) => `packages/holdfast/src/backends/${name}.ts`));
  const spelled = new Map<string, readonly string[]>();
  for (const file of files) {
    if (HOMES.some((home) => home.test(file.path)) || backends.has(file.path)) continue;
    const found = new Set(wordsIn(file).filter((word) => known.has(word)));
    if (found.size > 0) spelled.set(file.path, [...found]);
  }
  return spelled;
}

/** Every string, template without a hole, and key of an object or a type. */
function wordsIn(file: SourceFile): readonly string[] {
  return [...walk(parse(file))].flatMap(({ node, parent }) => {
    if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : [];
    if (node.type === 'TemplateElement') return rawOf(node['value']);
    const isKey = parent !== undefined && 'key' in parent && parent['key'] === node;
    const isPlain = isKey && parent['computed'] !== true && parent['shorthand'] !== true;
    return node.type === 'Identifier' && isPlain ? String(node['name']) : [];
  });
}

function rawOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'cooked' in value
    ? String(value.cooked)
    : '';
}
