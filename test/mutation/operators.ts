import type { Edit } from './mutant.ts';
import { isNode, type Node } from './syntax.ts';

/** Returns the edits of one node, given its text and its parents, nearest first. */
export type Operator = (at: NodeContext) => readonly Edit[];

export interface NodeContext {
  readonly node: Node;
  readonly parents: readonly Node[];
  /** The source of a node. */
  readonly source: (node: Node) => string;
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '**': '*',
  '%': '*',
  '&': '|',
  '|': '&',
};
const ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '||=': '=',
};
/** A map, since an object has a `toString` of its own. */
const CALLS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['some', 'every'],
  ['every', 'some'],
  ['race', 'all'],
]);
/** Calls in a chain that pass on what they are called on, or some of it. */
const PASSING = new Set(['filter', 'toSorted', 'toReversed', 'trim']);

const dropStatement: Operator = ({ node }) => {
  const dropped = (what: string): Edit[] => [replaced(what, node, ';')];
  if (node.type === 'ExpressionStatement' && node['directive'] == null)
    return dropped('drop the statement');
  if (node.type === 'ThrowStatement') return dropped('drop the throw');
  if (node.type === 'IfStatement' && node['alternate'] == null) return dropped('drop the if');
  return [];
};

const negateCondition: Operator = ({ node, source }) => {
  const test = node['test'];
  if (!isNode(test) || node.type === 'SwitchCase') return [];
  if (test.type === 'UnaryExpression' || `${operatorOf(test)}` in OPPOSITES) return [];
  return [replaced('negate the condition', test, `!(${source(test)})`)];
};

const dropNot: Operator = ({ node, source }) => {
  const argument = node['argument'];
  if (node.type !== 'UnaryExpression' || !isNode(argument)) return [];
  if (operatorOf(node) !== '!' && operatorOf(node) !== '-') return [];
  return [replaced(`drop the ${operatorOf(node)}`, node, source(argument))];
};

const swapOperator: Operator = ({ node, source }) => {
  const { left, right } = node;
  const operator = operatorOf(node);
  if (!isNode(left) || !isNode(right) || operator === undefined) return [];
  const swapped = (by: string): Edit =>
    replaced(`${by} for ${operator}`, node, `${source(left)} ${by} ${source(right)}`);
  if (node.type === 'BinaryExpression')
    return [BOUNDARIES, OPPOSITES, ARITHMETIC].flatMap(({ [operator]: by }) =>
      by === undefined ? [] : [swapped(by)],
    );
  if (node.type === 'AssignmentExpression') {
    const by = ASSIGNMENTS[operator];
    return by === undefined ? [] : [swapped(by)];
  }
  if (node.type !== 'LogicalExpression') return [];
  if (operator !== '??') return [inParentheses(swapped(operator === '&&' ? '||' : '&&'))];
  return [
    replaced('drop the default', node, source(left)),
    replaced('always the default', node, source(right)),
  ];
};

/** `a && (b || c)` for `a || b || c` would not parse with `??` beside it. */
function inParentheses(edit: Edit): Edit {
  return { ...edit, text: `(${edit.text})` };
}

const swapStep: Operator = ({ node, source }) => {
  const argument = node['argument'];
  if (node.type !== 'UpdateExpression' || !isNode(argument)) return [];
  const by = operatorOf(node) === '++' ? '--' : '++';
  return [replaced(`${by} for ${operatorOf(node)}`, node, `${source(argument)}${by}`)];
};

const swapConstant: Operator = ({ node, parents: [parent], source }) => {
  if (node.type !== 'Literal' || parent?.['key'] === node) return [];
  const text = source(node);
  if (text === 'true' || text === 'false')
    return [replaced(`not ${text}`, node, `${text !== 'true'}`)];
  const number = /^([\d_.]+(?:e\d+)?)(n?)$/.exec(text);
  if (number === null) return [];
  const by = { '0': '1', '1': '0' }[number[1] ?? ''] ?? `(2${number[2]} * ${text})`;
  return [replaced('another constant', node, by.includes('*') ? by : by + number[2])];
};

const dropAwait: Operator = ({ node, source }) => {
  const argument = node['argument'];
  if (node.type !== 'AwaitExpression' || !isNode(argument)) return [];
  return [replaced('drop the await', node, source(argument))];
};

const swapCall: Operator = ({ node, source }) => {
  const callee = node['callee'];
  if (node.type !== 'CallExpression' || !isNode(callee)) return [];
  const { property, object } = callee;
  if (callee.type !== 'MemberExpression' || !isNode(property) || !isNode(object)) return [];
  const name = source(property);
  if (PASSING.has(name)) return [replaced(`drop .${name}`, node, source(object))];
  const by = CALLS.get(name);
  return by === undefined ? [] : [replaced(`${by} for ${name}`, property, by)];
};

/** Of those that may be left out, as the compiler says. */
const dropProperty: Operator = ({ node, parents: [parent] }) => {
  if (node.type !== 'Property' || parent?.type !== 'ObjectExpression') return [];
  return [replaced('drop the property', node, '...{}')];
};

export const OPERATORS: readonly Operator[] = [
  dropStatement,
  negateCondition,
  dropNot,
  swapOperator,
  swapStep,
  swapConstant,
  dropAwait,
  swapCall,
  dropProperty,
];

function operatorOf({ operator }: Node): string | undefined {
  return typeof operator === 'string' ? operator : undefined;
}

function replaced(what: string, { start, end }: Node, text: string): Edit {
  return { what, start, end, text };
}
