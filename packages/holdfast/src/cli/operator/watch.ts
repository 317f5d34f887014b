import { setTimeout as pause } from 'node:timers/promises';
import { isLockError } from '@holdfast/core';
import type { Arguments } from '../arguments.ts';
import type { CommandBody } from '../command.ts';
import { durationMs } from '../durations.ts';
import type { Io } from '../io.ts';
import { SOURCE_HELP, SOURCE_OPTIONS } from '../source-argument.ts';
import { UsageError } from '../usage-error.ts';
import { HoldHistory } from './hold-history.ts';
import { inspectAll } from './inspect-all.ts';
import { type Store, withStore } from './open-store.ts';
import { isPrefix, prefixOf } from './operands.ts';
import { outputOf, type WatchOutput } from './watch-output.ts';

const HELP: string = `holdfast watch [KEY|PREFIX] [--json] [--every D] [--for D] [--on X] [--store NAME]

Shows who holds what, and continues until Ctrl-C: on a terminal as a table, else as a line
for each change. A PREFIX ends with / or *. Without it, all keys are watched.

A hold is "first seen" when watch meets it: not every store knows when it began. LOST counts
the holds that ended because their lease ran out, since watch began.

  --json          a line of JSON for each change
  --every D       time between two looks; default 1s
  --for D         end by then
${SOURCE_HELP}`;

const EVERY_MS_DEFAULT = 1_000;
const EVERY_MS_MIN = 100;
export const WATCH: CommandBody = {
  options: { ...SOURCE_OPTIONS, json: 'flag', every: 'value', for: 'value' },
  help: HELP,
  run: async (args, io) => {
    const everyMs = durationOf(args, 'every') ?? EVERY_MS_DEFAULT;
    if (everyMs < EVERY_MS_MIN) throw new UsageError(`--every needs at least ${EVERY_MS_MIN}ms`);
    const prefix = prefixOf(args);
    const forMs = durationOf(args, 'for');
    const stop = new AbortController();
    const end = (): void => stop.abort();
    for (const name of ENDING) process.on(name, end);
    const timer = forMs === undefined ? undefined : setTimeout(end, forMs);
    try {
      return await withStore(args, io, async (store) => {
        const [operand] = args.operands;
        const key = isPrefix(operand) ? undefined : operand;
        const watched = new Watch(store, { key, prefix }, outputFor(args, io, store.locks.backend));
        return await watched.until(stop.signal, everyMs);
      });
    } finally {
      clearTimeout(timer);
      for (const name of ENDING) process.off(name, end);
    }
  },
};

const ENDING = ['SIGINT', 'SIGTERM'] as const;

function durationOf({ values }: Arguments, option: string): number | undefined {
  const text = values.get(option);
  return text === undefined ? undefined : durationMs(option, text);
}

function outputFor({ flags }: Arguments, io: Io, backend: string): WatchOutput {
  return outputOf(io.stdout, { json: flags.has('json'), backend });
}

/** What is watched: one key, or all that begin with a prefix. */
interface Watched {
  readonly key: string | undefined;
  readonly prefix: string;
}

class Watch {
  readonly #store: Store;
  readonly #watched: Watched;
  readonly #output: WatchOutput;
  readonly #history = new HoldHistory();
  #isReachable = true;
  #hasAnswered = false;

  constructor(store: Store, watched: Watched, output: WatchOutput) {
    this.#store = store;
    this.#watched = watched;
    this.#output = output;
  }

  /**
   * Looks again and again, and searches for new keys meanwhile. A store that is away is waited for.
   * @returns the exit status: 1 if the store never gave an answer
   */
  async until(signal: AbortSignal, everyMs: number): Promise<number> {
    const { key } = this.#watched;
    const look = async (): Promise<void> => {
      const keys = key === undefined ? this.#history.keys : [key];
      await this.#lookAt(keys);
      if (keys.length > 0) this.#answered();
    };
    const search = async (): Promise<void> => {
      await this.#search(signal);
      this.#answered();
    };
    const draw = (): void => this.#output.round(this.#history.holds);
    const looking = this.#repeat(look, draw, signal, everyMs);
    const searching = key === undefined && this.#repeat(search, draw, signal, everyMs);
    await Promise.all([looking, searching]);
    return this.#isReachable || this.#hasAnswered ? 0 : 1;
  }

  #answered(): void {
    this.#hasAnswered = true;
    if (!this.#isReachable) this.#output.reachable();
    this.#isReachable = true;
  }

  async #repeat(
    run: () => Promise<void>,
    draw: () => void,
    signal: AbortSignal,
    everyMs: number,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await run();
      } catch (error) {
        if (!isLockError(error, 'BACKEND_UNAVAILABLE')) throw error;
        if (this.#isReachable) this.#output.unreachable(error.message);
        this.#isReachable = false;
      }
      draw();
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Looks at new keys of each page as it comes; on a large store the next one may be seconds later. */
  async #search(signal: AbortSignal): Promise<void> {
    const { prefix } = this.#watched;
    for await (const page of this.#store.keys()) {
      if (signal.aborted) return;
      const known = new Set(this.#history.keys);
      await this.#lookAt(page.filter((key) => key.startsWith(prefix) && !known.has(key)));
    }
  }

  async #lookAt(keys: readonly string[]): Promise<void> {
    for await (const inspection of inspectAll(this.#store.locks, keys))
      for (const change of this.#history.look(inspection, performance.now(), Date.now()))
        this.#output.change(change);
  }
}
