import { parseOwner, placeMs } from '@holdfast/core/backend';
import type { PostgresDatabase } from '../port.ts';
import { prefixOf, reportNode, type Store } from '../store.ts';
import type { Releases } from '../wake-up.ts';
import { SEPARATOR } from './line.ts';
import { kindOf, type SharedRequest } from './message.ts';

/** A contender that waits for its turn. */
export interface Waiter extends SharedRequest {
  readonly contender: string;
}

interface PlacesStore extends Pick<Store, 'modes' | 'namespace' | 'host'> {
  readonly database: Pick<PostgresDatabase, 'address' | 'run'>;
  readonly releases: Pick<Releases, 'wake'>;
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
  /** In the order in which they came, each with the kind of its attempts. */
  readonly contenders: Map<string, string>;
  /** Of these, who has been called by a release of this process since its latest attempt. */
  readonly called: Set<string>;
  latest?: KeepCall;
}

/** A contender keeps its place three times as long as this, so it may miss one call. */
const CALL_SHARE = 1 / 6;

/** Keeps the places of this process, all in one line by one call. */
export class Places {
  readonly #store: PlacesStore;
  readonly #lines = new Map<string, Line>();

  constructor(store: PlacesStore) {
    this.#store = store;
  }

  /** From here on calls for others keep its place, too, until `leave`. */
  enter(waiter: Waiter): Line {
    const line = this.#lines.get(lineOf(waiter)) ?? { contenders: new Map(), called: new Set() };
    this.#lines.set(lineOf(waiter), line);
    line.contenders.set(waiter.contender, kindOf(waiter));
    line.called.delete(waiter.contender);
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
    const contenders = new Set(line.contenders.keys());
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

  /** True if several callers of this process wait for the key. */
  isCrowded(request: SharedRequest): boolean {
    return (this.#lines.get(lineOf(request))?.contenders.size ?? 0) > 1;
  }

  /**
   * Owner values in the order in which their contenders came to the line, newcomers last: a call gives places in its order, also
   * to those that have lost theirs.
   */
  inOrder(request: SharedRequest, owners: readonly string[]): readonly string[] {
    const line = this.#lines.get(lineOf(request));
    if (line === undefined || owners.length < 2) return owners;
    const numbers = new Map(Array.from(line.contenders.keys(), (contender, n) => [contender, n]));
    const numberOf = (owner: string): number =>
      numbers.get(parseOwner(owner)?.contender ?? '') ?? numbers.size;
    return owners.toSorted((a, b) => numberOf(a) - numberOf(b));
  }

  leave(waiter: Waiter): void {
    const line = this.#lines.get(lineOf(waiter));
    line?.contenders.delete(waiter.contender);
    line?.called.delete(waiter.contender);
    if (line?.contenders.size === 0) this.#lines.delete(lineOf(waiter));
  }

  /**
   * Calls the first of several waiters that is not called, so that its attempt goes along with a release: if it is the first of
   * the whole line, it need not wait for the server to say so. One whose attempt is of another kind would need its own message.
   */
  callNext(released: SharedRequest): void {
    const line = this.#lines.get(lineOf(released));
    if (line === undefined || !this.isCrowded(released)) return;
    const next = firstOf(line);
    if (next?.[1] !== kindOf(released)) return;
    line.called.add(next[0]);
    this.#store.releases.wake(prefixOf(this.#store, released.key) + next[0]);
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

function lineOf({ key, ttlMs }: SharedRequest): string {
  return `${placeMs(ttlMs)}\n${key}`;
}

/** The first that is not called, and its kind. */
function firstOf({ contenders, called }: Line): readonly [string, string] | undefined {
  for (const entry of contenders) if (!called.has(entry[0])) return entry;
  return undefined;
}
