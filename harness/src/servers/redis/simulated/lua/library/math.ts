import { fault } from '../errors.ts';
import { machine } from '../machine.ts';
import { type LuaResult, type LuaValue, NOTHING } from '../values.ts';
import { Arguments } from './arguments.ts';

const UNARY = [
  'abs',
  'acos',
  'asin',
  'atan',
  'ceil',
  'cos',
  'cosh',
  'exp',
  'floor',
  'log',
  'log10',
  'sin',
  'sinh',
  'sqrt',
  'tan',
  'tanh',
] as const;

/** The mathematics of Lua 5.1. */
export const MATH: Readonly<Record<string, LuaValue>> = {
  ...Object.fromEntries(UNARY.map((name) => [name, unary(name, Math[name])])),
  deg: unary('deg', (x) => x / (Math.PI / 180)),
  rad: unary('rad', (x) => x * (Math.PI / 180)),
  atan2: binary('atan2', Math.atan2),
  pow: binary('pow', Math.pow),
  fmod: binary('fmod', (x, y) => x % y),
  mod: binary('fmod', (x, y) => x % y),
  ldexp: binary('ldexp', (x, y) => x * 2 ** (Math.trunc(y) | 0)),
  max: (...values) =>
    extreme(new Arguments('max', values), (best, next) => (next > best ? next : best)),
  min: (...values) =>
    extreme(new Arguments('min', values), (best, next) => (next < best ? next : best)),
  modf: (...values) => modf(new Arguments('modf', values).number(1)),
  frexp: (...values) => frexp(new Arguments('frexp', values).number(1)),
  random: (...values) => random(new Arguments('random', values)),
  randomseed: (...values) => {
    machine.host.random.seed(new Arguments('randomseed', values).int(1));
    return NOTHING;
  },
  huge: Infinity,
  pi: Math.PI,
};

function unary(name: string, of: (x: number) => number): LuaValue {
  return (...values) => of(new Arguments(name, values).number(1));
}

function binary(name: string, of: (x: number, y: number) => number): LuaValue {
  return (...values) => {
    const args = new Arguments(name, values);
    // The real library checks the second argument first, and reports it.
    const second = args.number(2);
    return of(args.number(1), second);
  };
}

function extreme(args: Arguments, better: (best: number, next: number) => number): number {
  let best = args.number(1);
  for (let at = 2; at <= args.count; at++) best = better(best, args.number(at));
  return best;
}

function modf(x: number): LuaResult {
  if (!Number.isFinite(x)) return [x, Number.isNaN(x) ? x : 0];
  const whole = Math.trunc(x);
  return [whole, x - whole];
}

function frexp(x: number): LuaResult {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let mantissa = x * 2 ** -exponent;
  while (Math.abs(mantissa) < 0.5) [mantissa, exponent] = [mantissa * 2, exponent - 1];
  while (Math.abs(mantissa) >= 1) [mantissa, exponent] = [mantissa / 2, exponent + 1];
  return [mantissa, exponent];
}

function random(args: Arguments): number {
  const share = machine.host.random.next();
  if (args.count === 0) return share;
  if (args.count > 2) throw fault('wrong number of arguments');
  const [from, to, last] = args.count === 1 ? [1, args.int(1), 1] : [args.int(1), args.int(2), 2];
  if (from > to) throw args.bad(last, 'interval is empty');
  return Math.floor(share * (to - from + 1)) + from;
}
