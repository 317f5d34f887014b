import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

/** A file of the project: its path from the root, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export const root = fileURLToPath(new URL('../../', import.meta.url));

const GENERATED = new Set([
  'node_modules',
  'dist',
  'reports',
  'coverage',
  'out',
  '.git',
  '.mutants',
]);

/** Every file below `folder`, without what tools make. */
export function filesBelow(folder: string, wanted: (name: string) => boolean): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (GENERATED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, wanted);
    if (!entry.isFile() || !wanted(entry.name)) return [];
    const text = readFileSync(join(root, path), 'utf8');
    return [{ path: relative('.', path).split(sep).join('/'), text }];
  });
}

/** A node of the syntax tree, as far as the rules look at one. */
export interface SyntaxNode {
  readonly type: string;
  readonly [property: string]: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

export function parse(file: SourceFile): SyntaxNode {
  const program: unknown = parseAst(file.text, { lang: 'ts' });
  if (!isNode(program)) throw new Error(`${file.path} could not be parsed`);
  return program;
}

/** Every node of the tree with its parent, without those for which `enters` rejects the node or an ancestor. */
export function* walk(
  node: SyntaxNode,
  enters: (node: SyntaxNode) => boolean = () => true,
  parent?: SyntaxNode,
): Generator<{ node: SyntaxNode; parent: SyntaxNode | undefined }> {
  if (!enters(node)) return;
  yield { node, parent };
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* walk(child, enters, node);
    }
  }
}

/** Returns the imports and re-exports of a file, types included; `undefined` is a computed `import()`. */
export function importsOf(file: SourceFile): (string | undefined)[] {
  const program = parse(file);
  return Array.from(withImports(file, program)).flatMap(({ source }) => {
    if (!isNode(source)) return [];
    return typeof source['value'] === 'string' ? source['value'] : undefined;
  });
}

/** Statements alone, unless an `import()` may be within one: a walk through a whole file takes ten times as long. */
function* withImports({ text }: SourceFile, program: SyntaxNode): Generator<SyntaxNode> {
  const { body } = program;
  if (!text.includes('import(') && Array.isArray(body)) yield* body.filter(isNode);
  else for (const { node } of walk(program)) yield node;
}
