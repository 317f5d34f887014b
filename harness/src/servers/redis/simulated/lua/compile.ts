import { Statements } from './emit-statements.ts';
import { fault } from './errors.ts';
import { next } from './library/base.ts';
import { globalWrite, index, LIBRARY, missingGlobal } from './library/globals.ts';
import { machine } from './machine.ts';
import * as operations from './operations.ts';
import { parse } from './parse.ts';
import { FunctionScope } from './scope.ts';
import { LuaTable } from './table.ts';
import { first, isTrue, type LuaResult, type LuaValue, many, NOTHING, typeOf } from './values.ts';

/** A script as a function of its KEYS and ARGV. */
export type CompiledScript = (keys: LuaTable, argv: LuaTable) => LuaResult;

const compiled = new Map<string, CompiledScript>();

/**
 * Compiles Lua 5.1 to JavaScript. The code refers only to names that are passed to it, so a script cannot reach
 * JavaScript's own globals. `new Function` makes it several times faster than closures; a page that shows the simulator
 * therefore needs `unsafe-eval` in its content security policy, if it has one. Scripts are cached by source for the
 * life of the process: parsing takes a hundred times as long as running.
 * @throws LuaSyntaxError if it is not Lua
 */
export function compile(source: string): CompiledScript {
  let script = compiled.get(source);
  if (script === undefined) {
    script = link(codeOf(source));
    compiled.set(source, script);
  }
  return script;
}

function codeOf(source: string): string {
  const parsed = parse(source);
  const scope = new FunctionScope(undefined, true);
  const body = new Statements(parsed.source).functionBody(parsed.chunk.body, scope);
  return `return (KEYS, ARGV) => {const $varargs = NOTHING;${body}}`;
}

const RUNTIME = {
  ...operations,
  first,
  globalWrite,
  index,
  isAtLeast: (a: LuaValue, b: LuaValue): boolean => operations.isAtMost(b, a),
  isMore: (a: LuaValue, b: LuaValue): boolean => operations.isLess(b, a),
  isTrue,
  iterate,
  LuaTable,
  machine,
  many,
  missingGlobal,
  NOTHING,
};

const NAMES = [...Object.keys(RUNTIME), ...LIBRARY.keys()];
const VALUES = [...Object.values(RUNTIME), ...LIBRARY.values()];

function link(code: string): CompiledScript {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code is the compiler's own; see above
  const make: unknown = new Function(...NAMES, `"use strict";${code}`);
  const script: unknown =
    typeof make === 'function' ? Reflect.apply(make, undefined, VALUES) : make;
  if (!isScript(script)) throw new Error('the compiler made no function');
  return script;
}

function isScript(made: unknown): made is CompiledScript {
  return typeof made === 'function';
}

/** The rounds of a generic `for`. */
function* iterate(
  step: LuaValue,
  state: LuaValue,
  start: LuaValue,
): Generator<readonly LuaValue[]> {
  if (step === next && state instanceof LuaTable && start === undefined) {
    yield* state.entries();
    return;
  }
  if (typeof step !== 'function') throw fault(`attempt to call a ${typeOf(step)} value`);
  for (let control = start; ; ) {
    const values = many(step(state, control));
    control = values[0];
    if (control === undefined) return;
    yield values;
  }
}
