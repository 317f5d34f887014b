import type {
  CallExpression,
  Expression,
  StringCallExpression,
  TableCallExpression,
} from 'luaparse';

export type Call = CallExpression | StringCallExpression | TableCallExpression;

export function isCall(expression: Expression): expression is Call {
  const { type } = expression;
  return (
    type === 'CallExpression' || type === 'StringCallExpression' || type === 'TableCallExpression'
  );
}

export function callArguments(call: Call): readonly Expression[] {
  if (call.type === 'CallExpression') return call.arguments;
  return [call.type === 'StringCallExpression' ? call.argument : call.arguments];
}

/** The call's own parentheses stand around its only argument. */
export function aroundCall(call: Call): number {
  return call.type === 'CallExpression' && call.arguments.length === 1 ? 1 : 0;
}
