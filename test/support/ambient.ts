import { layers, packageOf } from './layers.ts';
import { parse, type SourceFile, type SyntaxNode, walk } from './source-file.ts';

/**
 * The files of the timeless packages that touch the clocks of the machine: the runtime of the system, what drives a
 * simulation, and what keeps everything else in it from touching them.
 */
const ALLOWED = new Set([
  'packages/core/src/runtime.ts',
  'harness/src/sim/driver.ts',
  'harness/src/sim/guard.ts',
]);

const AMBIENT = new Set([
  'Date',
  'performance',
  'crypto',
  'FinalizationRegistry',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
]);
const AMBIENT_MEMBERS = new Set(['Math.random', 'AbortSignal.timeout', 'process.hrtime']);
const GLOBAL_OBJECTS = new Set(['globalThis', 'global', 'window', 'self']);

/** Types name clocks without touching one. */
function isValue(node: SyntaxNode): boolean {
  return !/^TS(?:Type(?!Assertion)|Interface)/.test(node.type);
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  if ('name' in value) return String(value.name);
  return 'value' in value ? String(value.value) : '';
}

/** The ambient thing that a node is, or undefined. */
function ambient(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  if (node.type === 'MemberExpression') {
    const [object, property] = [nameOf(node['object']), nameOf(node['property'])];
    if (GLOBAL_OBJECTS.has(object) && AMBIENT.has(property)) return property;
    const member = `${object}.${property}`;
    return AMBIENT_MEMBERS.has(member) ? member : undefined;
  }
  if (node.type !== 'Identifier' || !AMBIENT.has(nameOf(node))) return undefined;
  const isMember = parent?.['property'] === node && parent['computed'] !== true;
  const isKey =
    parent?.['key'] === node && parent['computed'] !== true && parent['shorthand'] !== true;
  return isMember || isKey ? undefined : nameOf(node);
}

/** Uses of a clock, a timer, chance or the finaliser in the packages that take them from a Runtime. */
export function ambientUses(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const { name, inside } = packageOf(file);
    const { timeless, real } = layers[name] ?? {};
    if (ALLOWED.has(file.path) || timeless !== true || real?.test(inside) === true) return [];
    const nodes = [...walk(parse(file), isValue)];
    const uses = nodes.flatMap(({ node, parent }) => ambient(node, parent) ?? []);
    return [...new Set(uses)].map((use) => `${file.path} uses ${use}`);
  });
}
