import { parseSync } from 'oxc-parser';

/** A node of the syntax tree, as far as mutations look at it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Types alone have no behaviour; what they wrap in an expression does. */
const WRAPPERS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);
const TYPES_ONLY = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'Decorator',
  'TemplateElement',
]);
const TYPE_FIELDS = new Set([
  'typeAnnotation',
  'typeParameters',
  'typeArguments',
  'returnType',
  'superTypeArguments',
  'implements',
]);

/** Visits all that runs, parents first. */
export function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void): void {
  const step = (at: Node, parents: readonly Node[]): void => {
    if (TYPES_ONLY.has(at.type) || (at.type.startsWith('TS') && !WRAPPERS.has(at.type))) return;
    visit(at, parents);
    for (const child of childrenOf(at)) step(child, [at, ...parents]);
  };
  step(node, []);
}

function childrenOf(node: Node): readonly Node[] {
  return Object.entries(node).flatMap(([field, value]) => {
    if (TYPE_FIELDS.has(field)) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.filter(isNode);
  });
}

/** @throws Error for what is no TypeScript */
export function parse(file: string, text: string): Node {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  if (!isNode(program)) throw new Error(`${file} has no program`);
  return program;
}

/** The text with spaces in place of comments. */
export function withoutComments(file: string, text: string): string {
  let code = text;
  for (const { start, end } of parseSync(file, text).comments)
    code = code.slice(0, start) + ' '.repeat(end - start) + code.slice(end);
  return code;
}
