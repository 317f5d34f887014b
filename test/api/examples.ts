import { isNode, type Node, parse } from '../mutation/syntax.ts';
import { DeclarationFiles } from './declarations.ts';
import { entriesOf } from './report.ts';

/** Interfaces in here are called by users; those elsewhere are implemented by authors of backends, or are data. */
const CALLED = '/core/dist/api/';

/** An example is a block of TypeScript, so that it can be compiled. */
const EXAMPLE = /@example\n *\* *```ts\n([\s\S]*?)^ *\* *```/gm;

/** An `@example` of a docstring. */
export interface Example {
  /** The public name in whose docstring, or that of a member, it is. */
  readonly name: string;
  readonly code: string;
}

/** A declaration that an entry of a package exports, with its docstrings. */
interface Declared {
  readonly entry: string;
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** The public names of a package, and the methods of the interfaces that users call, that lack an example. */
export function unexemplifiedOf(path: string): readonly string[] {
  return declaredBy(path).flatMap(({ entry, name, file, text }) =>
    unexemplifiedIn(text, file.includes(CALLED)).map((member) => `${entry}: ${name}${member}`),
  );
}

/** Every example in the docstrings of a package, also one that no rule demands. */
export function examplesOf(path: string): readonly Example[] {
  return declaredBy(path).flatMap(({ name, text }) => examplesIn(name, text));
}

/** The examples in the text of a declaration. @throws Error for one that could not be compiled */
export function examplesIn(name: string, text: string): readonly Example[] {
  const found = Array.from(text.matchAll(EXAMPLE), ([, code = '']) => ({
    name,
    code: code.replaceAll(/^ *\* ?/gm, ''),
  }));
  if (found.length !== text.split('@example').length - 1)
    throw new Error(`${name} has an @example that is not a block of TypeScript`);
  return found;
}

/** The entry that exports each public name of these packages; the first one if there are several. */
export function exportersOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const files = new DeclarationFiles(true);
  const found = new Map<string, string>();
  for (const { entry, file } of paths.flatMap(entriesOf))
    for (const name of files.exportsOf(file).keys()) if (!found.has(name)) found.set(name, entry);
  return found;
}

/** What lacks an example in the text of a declaration: `` for the declaration itself, and `.method`. */
export function unexemplifiedIn(text: string, isCalled: boolean): readonly string[] {
  const statements = nodes(parse('declaration.d.ts', text)['body']);
  let before = 0;
  // One overload is enough: it shows the name.
  const lacks =
    statements.some(isCallable) &&
    !statements.some((statement) => {
      const comment = text.slice(before, statement.start);
      before = statement.end;
      return hasExample(comment);
    });
  return [
    ...(lacks ? [''] : []),
    ...(isCalled ? statements.flatMap((each) => methodsWithout(each, text)) : []),
  ];
}

function methodsWithout({ type, body }: Node, text: string): readonly string[] {
  if (type !== 'TSInterfaceDeclaration' || !isNode(body)) return [];
  let before = body.start;
  const shown = new Map<string, boolean>();
  for (const member of nodes(body['body'])) {
    const comment = text.slice(before, member.start);
    before = member.end;
    const name = isNode(member['key']) ? String(member['key']['name']) : '()';
    if (member.type === 'TSMethodSignature')
      shown.set(name, shown.get(name) === true || hasExample(comment));
  }
  return [...shown].flatMap(([name, isShown]) => (isShown ? [] : [`.${name}`]));
}

function hasExample(comment: string): boolean {
  return comment.search(EXAMPLE) >= 0;
}

/** True for a function, a class, and a constant that is a function. */
function isCallable(statement: Node): boolean {
  if (['TSDeclareFunction', 'FunctionDeclaration', 'ClassDeclaration'].includes(statement.type))
    return true;
  return nodes(statement['declarations']).some(({ id }) => {
    const annotation = isNode(id) ? id['typeAnnotation'] : undefined;
    const type = isNode(annotation) ? annotation['typeAnnotation'] : undefined;
    return isNode(type) && type.type === 'TSFunctionType';
  });
}

function declaredBy(path: string): readonly Declared[] {
  const files = new DeclarationFiles(true);
  const seen = new Set<string>();
  return entriesOf(path).flatMap(({ entry, file: from }) =>
    [...files.exportsOf(from)].flatMap(([name, each]) => {
      // What is of another package is checked there.
      if (!('file' in each) || seen.has(`${each.file}#${each.local}`)) return [];
      const { file, local } = each;
      seen.add(`${file}#${local}`);
      return [{ entry, name, file, text: files.textOf(file, local) }];
    }),
  );
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
