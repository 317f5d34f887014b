import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../support/source-file.ts';
import { DeclarationFiles, type Exported } from './declarations.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
}

/** Entries that no user may rely on. */
const NOT_PUBLIC: ReadonlySet<string> = new Set(['holdfast/internal']);

const HEAD = `// Every public name of this package, as the compiler emits it. Generated: npm run api
`;

/** By file name: the public names of a package with their signatures, and the types behind them that have no public name. */
export function reports(): ReadonlyMap<string, string> {
  const folders = [
    ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
    'harness',
  ];
  const texts = folders.map((folder) => [HEAD, ...partsOf(folder, { docs: false })].join('\n'));
  return new Map(folders.map((folder, at) => [`${basename(folder)}.d.ts`, texts[at] ?? '']));
}

/** The public names of one package, without or with their docstrings. */
export function partsOf(path: string, { docs }: { readonly docs: boolean }): string[] {
  const files = new DeclarationFiles(docs);
  /** What has been printed, with the entry under which it was. */
  const printed = new Map<string, string>();
  return entriesOf(path).flatMap(({ entry, file }) => partOf(entry, file, files, printed));
}

/** The public entries of a package, each with its declaration file. */
export function entriesOf(
  path: string,
): readonly { readonly entry: string; readonly file: string }[] {
  const folder = join(root, path);
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    const entry = `${manifest.name}${subpath.slice(1)}`;
    if (typeof target === 'string' || target.types === undefined || NOT_PUBLIC.has(entry))
      return [];
    return [{ entry, file: join(folder, target.types) }];
  });
}

function partOf(
  entry: string,
  file: string,
  files: DeclarationFiles,
  printed: Map<string, string>,
): string[] {
  const lines = [`// ${'='.repeat(10)} ${entry} ${'='.repeat(10)}\n`];
  const exported = [...files.exportsOf(file)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const behind: Exported[] = [];
  for (const [name, each] of exported) {
    const text = textOf(name, each, files, printed.get(keyOf(each)));
    if (!printed.has(keyOf(each)) && 'file' in each) behind.push(...files.namedBy(each.file, text));
    printed.set(keyOf(each), printed.get(keyOf(each)) ?? entry);
    lines.push(`${text}\n`);
  }
  const hidden = hiddenBehind(behind, files, printed);
  if (hidden.length > 0)
    lines.push(`// ----- without a name of its own in ${entry} -----\n`, ...hidden);
  return lines;
}

/** The text for one name. `elsewhere` is the entry that shows it already. */
function textOf(
  name: string,
  each: Exported,
  files: DeclarationFiles,
  elsewhere: string | undefined,
): string {
  if ('outside' in each) return each.name === '*' ? `// ${name}` : `// ${name} of ${each.outside}`;
  if (elsewhere !== undefined) return `// ${name}, as in ${elsewhere}`;
  const text = files.textOf(each.file, each.local);
  return each.local === name ? text : `// ${name}:\n${text}`;
}

/** Declarations that public ones refer to, and those that they refer to: a change of one changes the public ones. */
function hiddenBehind(
  start: readonly Exported[],
  files: DeclarationFiles,
  printed: Map<string, string>,
): string[] {
  const waiting = [...start];
  const texts = new Map<string, string>();
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (!('file' in each) || printed.has(keyOf(each))) continue;
    printed.set(keyOf(each), '');
    const text = files.textOf(each.file, each.local);
    texts.set(`${each.local} ${keyOf(each)}`, `${text}\n`);
    waiting.push(...files.namedBy(each.file, text));
  }
  return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
}

function keyOf(each: Exported): string {
  return 'file' in each ? `${each.file}#${each.local}` : `${each.outside}#${each.name}`;
}
