import type { Expression } from 'luaparse';
import type { FunctionScope } from './scope.ts';

/** Operators, and the functions that compiled code calls for them. */

export const ORDERS: Readonly<Record<string, string>> = {
  '<': 'isLess',
  '<=': 'isAtMost',
  '>': 'isMore',
  '>=': 'isAtLeast',
};

export const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
  '..': 'concatenate',
};

export function isComparison(expression: Expression): boolean {
  if (expression.type !== 'BinaryExpression') return false;
  const { operator } = expression;
  return operator === '==' || operator === '~=' || ORDERS[operator] !== undefined;
}

/** Code of the operand's name in errors, as in Lua: "local 'x'", or nothing. */
export function operandName(expression: Expression, scope: FunctionScope): string {
  if (expression.type === 'Identifier') return variable(expression.name, scope);
  if (expression.type === 'MemberExpression') return quoted('field', expression.identifier.name);
  if (expression.type !== 'IndexExpression') return "''";
  const { index } = expression;
  return quoted('field', index.type === 'StringLiteral' ? index.value : '?');
}

function variable(name: string, scope: FunctionScope): string {
  const local = scope.find(name);
  if (local === undefined) return quoted('global', name);
  return quoted(local.owner === scope ? 'local' : 'upvalue', name);
}

export function quoted(kind: string, name: string): string {
  return JSON.stringify(`${kind} '${name}'`);
}
