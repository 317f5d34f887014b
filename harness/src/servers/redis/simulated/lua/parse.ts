import {
  type CallExpression,
  type Chunk,
  type Expression,
  parse as parseLua,
  type StringCallExpression,
  type TableCallExpression,
} from 'luaparse';
import { LuaSyntaxError } from './errors.ts';

/** A parsed script with its source, in which nodes have positions. */
export interface Parsed {
  readonly chunk: Chunk;
  readonly source: string;
}

/** @throws LuaSyntaxError with the line, in the parser's words */
export function parse(source: string): Parsed {
  const body = withoutShebang(source);
  try {
    const options = {
      luaVersion: '5.1',
      encodingMode: 'pseudo-latin1',
      locations: true,
      ranges: true,
      comments: false,
    } as const;
    return { chunk: parseLua(body, options), source: body };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line = '1', reason = error.message] =
      /^\[(\d+):\d+\] (.*)$/s.exec(error.message) ?? [];
    throw new LuaSyntaxError(`user_script:${line}: ${reason}`);
  }
}

/** `#!lua …` declares flags that do not matter here; the line remains, so that the other lines keep their numbers. */
function withoutShebang(source: string): string {
  return source.startsWith('#!') ? source.replace(/^[^\n]*/, '') : source;
}

export function lineOf(node: {
  readonly loc?: { readonly start: { readonly line: number } } | undefined;
}): number {
  return node.loc?.start.line ?? 1;
}

/**
 * True if parentheses of its own cut an expression to one value. The parser drops them, so they are searched in the
 * text; `around` is the number that the enclosing construct puts there anyway.
 */
export function isInParentheses(expression: Expression, around: number, source: string): boolean {
  const [start, end] = rangeOf(expression);
  let [from, to, found] = [start, end, 0];
  for (;;) {
    from = skipBack(source, from);
    to = skipForth(source, to);
    if (source.charAt(from - 1) !== '(' || source.charAt(to) !== ')') return found > around;
    from--;
    to++;
    found++;
  }
}

/** The parser adds the range; its types omit it. */
function rangeOf(
  expression: Expression & { readonly range?: readonly [number, number] },
): readonly [number, number] {
  if (expression.range === undefined) throw new Error('parsed without ranges');
  return expression.range;
}

function skipBack(source: string, at: number): number {
  let from = at;
  while (/\s/.test(source.charAt(from - 1))) from--;
  return from;
}

function skipForth(source: string, at: number): number {
  let to = at;
  while (/\s/.test(source.charAt(to))) to++;
  return to;
}

export type LuaCall = CallExpression | StringCallExpression | TableCallExpression;

export function isCall(expression: Expression): expression is LuaCall {
  const { type } = expression;
  return (
    type === 'CallExpression' || type === 'StringCallExpression' || type === 'TableCallExpression'
  );
}

export function callArguments(call: LuaCall): readonly Expression[] {
  if (call.type === 'CallExpression') return call.arguments;
  return [call.type === 'StringCallExpression' ? call.argument : call.arguments];
}

/** The parentheses of a call enclose its only argument. */
export function aroundCall(call: LuaCall): number {
  return call.type === 'CallExpression' && call.arguments.length === 1 ? 1 : 0;
}
