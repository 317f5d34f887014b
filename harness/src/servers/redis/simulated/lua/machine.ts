import { SimLimitError } from '../../../../sim/errors.ts';
import type { InnerReply } from '../reply.ts';
import type { LuaFunction } from './values.ts';

/** The functions outside Lua that a script can reach. */
export interface ScriptHost {
  /** Returns Redis's errors as error replies. */
  call(args: readonly string[]): InnerReply;
  /** Continues from script to script. */
  readonly random: Random48;
}

/** {@link Machine.line} of code that the library called, not a line of the script. */
export const NO_LINE = 0;

const natives = new WeakSet<LuaFunction>();

/** Marks a function of the library. */
export function native(run: LuaFunction): void {
  natives.add(run);
}

export function isNative(run: LuaFunction): boolean {
  return natives.has(run);
}

/** Rounds of loops and calls. Lock scripts take tens; this many keep a real server busy for a noticeable time. */
const STEPS_MAX = 1_000_000;

/**
 * The state of the running script. There is one per process: compiled scripts are shared by all servers of all worlds,
 * and a script runs from start to end without interruption.
 */
class Machine {
  /** The line that runs, for error messages. */
  line = 1;
  steps = 0;
  #host: ScriptHost | undefined;

  get host(): ScriptHost {
    if (this.#host === undefined) throw new Error('no script is running');
    return this.#host;
  }

  run<T>(host: ScriptHost, script: () => T): T {
    if (this.#host !== undefined) throw new Error('a script cannot run inside another');
    this.#host = host;
    this.line = 1;
    this.steps = STEPS_MAX;
    try {
      return script();
    } finally {
      this.#host = undefined;
    }
  }

  spend(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) this.exhausted();
  }

  exhausted(): never {
    throw new SimLimitError(
      `a Lua script took more than ${STEPS_MAX} steps, at line ${this.line}; a server would reply BUSY from now on`,
    );
  }
}

export const machine: Machine = new Machine();

/** The generator behind `math.random`: POSIX lrand48, which every server starts from one fixed state. */
export class Random48 {
  #state = 0x1234abcd330en;

  seed(seed: number): void {
    this.#state = BigInt.asUintN(48, (BigInt(seed) << 16n) + 0x330en);
  }

  /** A number from 0 to 1. */
  next(): number {
    this.#state = BigInt.asUintN(48, this.#state * 0x5deece66dn + 0xbn);
    return (Number(this.#state >> 17n) % 0x7fffffff) / 0x7fffffff;
  }
}
