import { SimUnsupportedError } from '../../reply.ts';
import type { LuaValue } from '../values.ts';
import { Arguments } from './arguments.ts';
import { format } from './format.ts';
import { find, gmatch, gsub, match } from './searching.ts';

/** The string library of Lua 5.1. */
export const STRING: Readonly<Record<string, LuaValue>> = {
  len: (...values) => new Arguments('len', values).string(1).length,
  lower: (...values) =>
    new Arguments('lower', values).string(1).replace(/[A-Z]+/g, (run) => run.toLowerCase()),
  upper: (...values) =>
    new Arguments('upper', values).string(1).replace(/[a-z]+/g, (run) => run.toUpperCase()),
  reverse: (...values) =>
    Array.from(new Arguments('reverse', values).string(1)).toReversed().join(''),
  rep: (...values) => rep(new Arguments('rep', values)),
  sub: (...values) => sub(new Arguments('sub', values)),
  byte: (...values) => byte(new Arguments('byte', values)),
  char: (...values) => char(new Arguments('char', values)),
  format: (...values) => format(new Arguments('format', values)),
  find: (...values) => find(new Arguments('find', values)),
  match: (...values) => match(new Arguments('match', values)),
  gmatch: (...values) => gmatch(new Arguments('gmatch', values)),
  gfind: (...values) => gmatch(new Arguments('gfind', values)),
  gsub: (...values) => gsub(new Arguments('gsub', values)),
  dump: () => {
    throw new SimUnsupportedError('string.dump');
  },
};

const BYTES_MAX = 2 ** 29;

function rep(args: Arguments): string {
  const text = args.string(1);
  const count = Math.max(0, args.int(2));
  // The real server would run out of memory here and crash.
  if (text.length * count > BYTES_MAX) throw new SimUnsupportedError('string as long as that');
  return text.repeat(count);
}

/** From and to as offsets of a slice; negative positions count from the end. */
function range(length: number, from: number, to: number): readonly [number, number] {
  const start = from < 0 ? length + from + 1 : from;
  const end = to < 0 ? length + to + 1 : to;
  return [Math.max(1, start) - 1, Math.min(length, end)];
}

function sub(args: Arguments): string {
  const text = args.string(1);
  const [from, to] = range(text.length, args.integer(2), args.integerOr(3, -1));
  return from < to ? text.slice(from, to) : '';
}

function byte(args: Arguments): readonly LuaValue[] {
  const text = args.string(1);
  const start = args.integerOr(2, 1);
  const [from, to] = range(text.length, start, args.integerOr(3, start));
  return Array.from(text.slice(from, Math.max(from, to)), (one) => one.charCodeAt(0));
}

function char(args: Arguments): string {
  let text = '';
  for (let at = 1; at <= args.count; at++) {
    const code = args.int(at);
    if (code < 0 || code > 255) throw args.bad(at, 'invalid value');
    text += String.fromCharCode(code);
  }
  return text;
}
