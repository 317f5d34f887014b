import type { Expression } from 'luaparse';
import type { FunctionScope } from './scope.ts';

/** Code of the words by which errors name an operand, as Lua does: "local 'x'", or nothing. */
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
