import { toStringValue } from '../conversions.ts';
import { fault } from '../errors.ts';
import { LuaTable } from '../table.ts';
import {
  first,
  isTrue,
  type LuaFunction,
  type LuaResult,
  type LuaValue,
  typeOf,
} from '../values.ts';
import type { Arguments } from './arguments.ts';
import { type Match, Pattern } from './patterns.ts';

/** `string.find`, `match`, `gmatch` and `gsub`. */

export function find(args: Arguments): LuaResult {
  const [text, pattern, from] = subject(args);
  if (isTrue(args.value(4)) || !/[\^$*+?.([%-]/.test(pattern)) {
    const at = text.indexOf(pattern, from);
    return at < 0 ? undefined : [at + 1, at + pattern.length];
  }
  const found = new Pattern(pattern, text).search(from);
  return found && [found.from + 1, found.to, ...found.captures];
}

export function match(args: Arguments): LuaResult {
  const [text, pattern, from] = subject(args);
  const found = new Pattern(pattern, text).search(from);
  return found && wholeOrCaptures(found, text);
}

function subject(args: Arguments): readonly [string, string, number] {
  const [text, pattern, start] = [args.string(1), args.string(2), args.integerOr(3, 1)];
  const from = start < 0 ? Math.max(0, text.length + start) : Math.max(0, start - 1);
  return [text, pattern, Math.min(from, text.length)];
}

function wholeOrCaptures({ from, to, captures }: Match, text: string): LuaResult {
  return captures.length > 0 ? captures : text.slice(from, to);
}

export function gmatch(args: Arguments): LuaFunction {
  const text = args.string(1);
  // In Lua 5.1 `^` is an ordinary character here.
  const pattern = new Pattern(unanchored(args.string(2)), text);
  let from = 0;
  return () => {
    const found = from > text.length ? undefined : pattern.search(from);
    if (found === undefined) return undefined;
    from = found.to === found.from ? found.to + 1 : found.to;
    return wholeOrCaptures(found, text);
  };
}

function unanchored(pattern: string): string {
  return pattern.startsWith('^') ? `%${pattern}` : pattern;
}

export function gsub(args: Arguments): LuaResult {
  const text = args.string(1);
  const pattern = new Pattern(args.string(2), text);
  const replace = replacer(args);
  const most = args.integerOr(4, text.length + 1);
  const parts: string[] = [];
  let [from, count] = [0, 0];
  while (count < most) {
    const found = pattern.matchAt(from);
    if (found !== undefined) {
      count++;
      parts.push(replace(found, text.slice(found.from, found.to)));
    }
    if (found !== undefined && found.to > from) from = found.to;
    else if (from < text.length) parts.push(text.charAt(from++));
    else break;
    if (pattern.anchored) break;
  }
  return [parts.join('') + text.slice(from), count];
}

type Replace = (found: Match, whole: string) => string;

function replacer(args: Arguments): Replace {
  const by = args.value(3);
  const template = toStringValue(by);
  if (template !== undefined) return (found, whole) => filled(template, found, whole);
  if (by instanceof LuaTable)
    return (found, whole) =>
      chosen(by.get(found.captures.length > 0 ? found.captures[0] : whole), whole);
  if (typeof by === 'function')
    return (found, whole) =>
      chosen(first(by(...(found.captures.length > 0 ? found.captures : [whole]))), whole);
  throw args.bad(3, 'string/function/table expected');
}

function chosen(value: LuaValue, whole: string): string {
  if (!isTrue(value)) return whole;
  const text = toStringValue(value);
  if (text === undefined) throw fault(`invalid replacement value (a ${typeOf(value)})`);
  return text;
}

function filled(template: string, found: Match, whole: string): string {
  return template.replace(/%([^])?/g, (_, char: string | undefined) => {
    if (char === undefined) return '\0';
    if (!/\d/.test(char)) return char;
    if (char === '0' || (char === '1' && found.captures.length === 0)) return whole;
    const index = Number(char) - 1;
    if (index >= found.captures.length) throw fault('invalid capture index');
    return toStringValue(found.captures[index]) ?? '';
  });
}
