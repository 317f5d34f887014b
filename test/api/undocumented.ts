import { isNode, type Node, parse } from '../mutation/syntax.ts';
import { DeclarationFiles } from './declarations.ts';
import { entriesOf } from './report.ts';

/** The public names of a package, and the members of its interfaces and classes, that have no docstring. */
export function undocumentedOf(path: string): readonly string[] {
  const files = new DeclarationFiles(true);
  const seen = new Set<string>();
  return entriesOf(path).flatMap(({ entry, file }) =>
    [...files.exportsOf(file)].flatMap(([name, each]) => {
      // What is of another package is checked there.
      if (!('file' in each) || seen.has(`${each.file}#${each.local}`)) return [];
      seen.add(`${each.file}#${each.local}`);
      return undocumentedIn(files.textOf(each.file, each.local)).map(
        (member) => `${entry}: ${name}${member}`,
      );
    }),
  );
}

/** What lacks a docstring in the text of a declaration: `` for the declaration itself, and `.member`. */
export function undocumentedIn(text: string): readonly string[] {
  const statements = nodes(parse('declaration.d.ts', text)['body']);
  const isDocumented = text.trimStart().startsWith('/**');
  return [
    ...(isDocumented ? [] : ['']),
    ...statements.flatMap((statement) => membersWithout(statement, text)),
  ];
}

function membersWithout(declaration: Node, text: string): readonly string[] {
  const { body } = declaration;
  // What a class implements is described where it is declared.
  if (!isNode(body) || nodes(declaration['implements']).length > 0) return [];
  let before = body.start;
  return nodes(body['body']).flatMap((member) => {
    const comment = text.slice(before, member.start);
    before = member.end;
    const name = nameOf(member);
    // Every error has one.
    const isInherited = isNode(declaration['superClass']) && name === 'name';
    return comment.includes('/**') || isInherited || !isForUsers(member) ? [] : [`.${name}`];
  });
}

/** Constructors, what is private, and a name of one value, such as `readonly code: "CONFIG"`, need none. */
function isForUsers({ type: what, kind, accessibility, typeAnnotation, value }: Node): boolean {
  const type = isNode(typeAnnotation) ? typeAnnotation['typeAnnotation'] : undefined;
  const isInitialised = what === 'PropertyDefinition' && isNode(value);
  const isConstant = isInitialised || (isNode(type) && type.type === 'TSLiteralType');
  return kind !== 'constructor' && accessibility !== 'private' && !isConstant;
}

function nameOf({ key }: Node): string {
  const name = isNode(key) ? (key['name'] ?? key['value']) : undefined;
  return typeof name === 'string' ? name : '()';
}

function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}
