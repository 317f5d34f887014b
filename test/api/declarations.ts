import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNode, type Node, parse, withoutComments } from '../mutation/syntax.ts';

/** A name that a declaration file exports: a declaration of a file, or something of another package. */
export type Exported =
  | { readonly file: string; readonly local: string }
  | { readonly outside: string; readonly name: string };

/** A declaration file: what it declares, imports and exports. */
interface Declarations {
  /** The texts of all declarations of a name: functions have overloads. */
  readonly declared: Map<string, string[]>;
  readonly imported: Map<string, { readonly from: string; readonly name: string }>;
  readonly exported: Map<string, { readonly from: string | undefined; readonly name: string }>;
  readonly everythingOf: string[];
}

/** Reads declaration files, each once; with their comments if `docs` is true. */
export class DeclarationFiles {
  readonly #files = new Map<string, Declarations>();
  readonly #docs: boolean;

  constructor(docs: boolean) {
    this.#docs = docs;
  }

  /** Every name that `file` exports. */
  exportsOf(file: string): Map<string, Exported> {
    const { exported, everythingOf } = this.#read(file);
    const found = new Map<string, Exported>();
    for (const from of everythingOf) {
      if (isOutside(from)) found.set(`* of ${from}`, { outside: from, name: '*' });
      else for (const [name, each] of this.exportsOf(target(file, from))) found.set(name, each);
    }
    for (const [as, { from, name }] of exported)
      found.set(as, from === undefined ? this.#local(file, name) : this.#of(file, from, name));
    return found;
  }

  /** The text of a declaration, without `export` and `declare`. */
  textOf(file: string, local: string): string {
    const texts = this.#read(file).declared.get(local) ?? [];
    if (texts.length === 0) throw new Error(`${file} declares no ${local}`);
    return texts.join('\n');
  }

  /** The declarations that a text of `file` names, exported or not. */
  namedBy(file: string, text: string): Exported[] {
    const { declared, imported } = this.#read(file);
    const words = new Set(text.match(/[A-Za-z_$][\w$]*/g));
    return [...words].flatMap((word) =>
      declared.has(word) || imported.has(word) ? [this.#local(file, word)] : [],
    );
  }

  /** What a name means inside of a file. */
  #local(file: string, name: string): Exported {
    const { declared, imported } = this.#read(file);
    const found = imported.get(name);
    if (declared.has(name) || found === undefined) return { file, local: name };
    return this.#of(file, found.from, found.name);
  }

  #of(file: string, from: string, name: string): Exported {
    if (isOutside(from)) return { outside: from, name };
    const found = this.exportsOf(target(file, from)).get(name);
    if (found === undefined) throw new Error(`${from}, imported by ${file}, exports no ${name}`);
    return found;
  }

  #read(file: string): Declarations {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const read = readDeclarations(file, this.#docs);
    this.#files.set(file, read);
    return read;
  }
}

function isOutside(specifier: string): boolean {
  return !specifier.startsWith('.');
}

function target(file: string, specifier: string): string {
  return join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'));
}

function readDeclarations(file: string, docs: boolean): Declarations {
  const whole = readFileSync(file, 'utf8');
  const text = docs ? whole : withoutComments(file, whole);
  const found: Declarations = {
    declared: new Map(),
    imported: new Map(),
    exported: new Map(),
    everythingOf: [],
  };
  let before = 0;
  for (const statement of nodes(parse(file, text)['body'])) {
    const comment = text.slice(before, statement.start).trim();
    before = statement.end;
    const from = sourceOf(statement);
    if (statement.type === 'ExportAllDeclaration') found.everythingOf.push(from ?? '');
    else if (statement.type === 'ImportDeclaration')
      // A namespace has no declaration of its own.
      for (const each of nodes(statement['specifiers']).filter(({ imported }) => isNode(imported)))
        found.imported.set(nameOf(each['local']), {
          from: from ?? '',
          name: nameOf(each['imported']),
        });
    else {
      const isExport = statement.type === 'ExportNamedDeclaration';
      for (const each of isExport ? nodes(statement['specifiers']) : [])
        found.exported.set(nameOf(each['exported']), { from, name: nameOf(each['local']) });
      const declaration = isExport ? statement['declaration'] : statement;
      for (const name of isNode(declaration) ? namesOf(declaration) : []) {
        const texts = found.declared.get(name) ?? [];
        found.declared.set(name, [...texts, `${comment}${textIn(text, statement)}`]);
        if (isExport) found.exported.set(name, { from: undefined, name });
      }
    }
  }
  return found;
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function sourceOf({ source }: Node): string | undefined {
  return isNode(source) ? String(source['value']) : undefined;
}

/** A name, written as an identifier or a string; `default` for what an import takes as a whole. */
function nameOf(value: unknown): string {
  return isNode(value) ? String(value['name'] ?? value['value']) : 'default';
}

function namesOf(declaration: Node): readonly string[] {
  const declarators = nodes(declaration['declarations']);
  return (declarators.length > 0 ? declarators : [declaration])
    .filter(({ id }) => isNode(id))
    .map(({ id }) => nameOf(id));
}

function textIn(text: string, { start, end }: Node): string {
  return text
    .slice(start, end)
    .replace(/^(?:export )?(?:declare )?/, '')
    .split('\n')
    .map((line) => line.replace(/ {4}|\t/g, '  ').trimEnd())
    .filter((line) => line !== '' && line.trim() !== '#private;')
    .join('\n');
}
