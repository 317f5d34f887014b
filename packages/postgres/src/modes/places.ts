import { placeMs } from '@holdfast/core/backend';
import { reportNode, type Store } from '../store.ts';
import { SEPARATOR } from './line.ts';

/** A contender that waits for its turn. */
export interface Waiter {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
}

/** By contender that has a place: whether it waits behind another one. */
type Kept = ReadonlyMap<string, boolean>;

interface KeepCall {
  readonly fromMs: number;
  readonly deadlineMs: number;
  readonly contenders: ReadonlySet<string>;
  readonly kept: Promise<Kept>;
}

/** Those of one process that wait for one key with places that last equally long. */
interface Line {
  readonly contenders: Set<string>;
  latest?: KeepCall;
}

/** A contender keeps its place three times as long as this, so it may miss one call. */
const CALL_SHARE = 1 / 6;

/** Keeps the places of this process, all in one line by one call. */
export class Places {
  readonly #store: Pick<Store, 'database' | 'modes' | 'namespace' | 'host'>;
  readonly #lines = new Map<string, Line>();

  constructor(store: Pick<Store, 'database' | 'modes' | 'namespace' | 'host'>) {
    this.#store = store;
  }

  /** From here on calls for others keep its place, too, until `leave`. */
  enter(waiter: Waiter): Line {
    const line = this.#lines.get(lineOf(waiter)) ?? { contenders: new Set() };
    this.#lines.set(lineOf(waiter), line);
    line.contenders.add(waiter.contender);
    return line;
  }

  /**
   * Keeps the place of a waiter, by its own call or a recent one. True: it waits behind another one; false: it is the first
   * one, or has no place. Rejects as the call does.
   */
  async isBehind(waiter: Waiter, deadlineMs: number): Promise<boolean> {
    const { key, contender, ttlMs } = waiter;
    const nowMs = this.#store.host.runtime.now().monotonicMs;
    const line = this.enter(waiter);
    const { latest } = line;
    const isRecent =
      latest?.contenders.has(contender) === true &&
      nowMs - latest.fromMs < placeMs(ttlMs) * CALL_SHARE;
    if (isRecent && latest.deadlineMs <= deadlineMs)
      return (await latest.kept).get(contender) === true;
    const contenders = new Set(line.contenders);
    const kept = this.#call(key, contenders, ttlMs, deadlineMs);
    const call: KeepCall = { fromMs: nowMs, deadlineMs, contenders, kept };
    line.latest = call;
    try {
      return (await kept).get(contender) === true;
    } catch (cause) {
      // Once for all whose call it was; the next one tries anew.
      reportNode(this.#store, key, cause);
      if (line.latest === call) delete line.latest;
      throw cause;
    }
  }

  leave(waiter: Waiter): void {
    const line = this.#lines.get(lineOf(waiter));
    line?.contenders.delete(waiter.contender);
    if (line?.contenders.size === 0) this.#lines.delete(lineOf(waiter));
  }

  async #call(
    key: string,
    contenders: ReadonlySet<string>,
    ttlMs: number,
    deadlineMs: number,
  ): Promise<Kept> {
    const { database, modes, namespace } = this.#store;
    const args = [namespace, key, Array.from(contenders).join(SEPARATOR), placeMs(ttlMs)];
    const { rows } = await database.run(modes.keep, args, { deadlineMs });
    return new Map(rows.map((row) => [String(row['contender']), row['is_behind'] === 'true']));
  }
}

function lineOf({ key, ttlMs }: Waiter): string {
  return `${placeMs(ttlMs)}\n${key}`;
}
