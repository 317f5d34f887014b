import type { Expression } from 'luaparse';

/** Operators, and what the compiled code calls for them. */

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
