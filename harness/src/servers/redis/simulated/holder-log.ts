import type { Kernel } from '../../../sim/kernel.ts';
import type { LockKey, ServerHold } from '../../../sim/schedule/holds.ts';
import { ServerHolders } from './server-holders.ts';

interface Write {
  readonly key: string;
  readonly value: string;
}

/**
 * Whom every server takes for the holder of every key: the client whose request had the key written, so it works for
 * every lock, whatever its values look like. Only for traces, by which it finds that client.
 */
export class HolderLog {
  readonly #kernel: Kernel;
  readonly #servers = new Map<string, ServerHolders>();
  /** Those that ever wrote anything, the first one first. */
  readonly #writing = new Set<string>();
  readonly #writes: Write[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }

  /** The part of one server. */
  of(server: string): ServerHolders {
    const holders = new ServerHolders(server, this);
    this.#servers.set(server, holders);
    return holders;
  }

  wrote(server: string, write?: Write): void {
    this.#writing.add(server);
    if (write !== undefined) this.#writes.push(write);
  }

  /** Whom each server took for the holder of the lock. */
  holdersOf(lock: LockKey): readonly ServerHold[] {
    const key = this.#stored(lock);
    if (key === undefined) return [];
    return Array.from(this.#writing).flatMap((name) => this.#servers.get(name)?.on(key) ?? []);
  }

  /** The client whose request led to what is happening. */
  clientBehind(): string | undefined {
    const { cause, trace } = this.#kernel;
    for (
      let record = trace.records[cause];
      record !== undefined;
      record = trace.records[record.cause]
    )
      if (record.kind === 'send' && !this.#servers.has(record.process)) return record.process;
    return undefined;
  }

  /** The key that stands for the lock: one that names it, and does not hold fencing tokens. */
  #stored({ key: named, tokens }: LockKey): string | undefined {
    const keys = this.#writes.flatMap(({ key, value }) => (tokens.has(value) ? [] : [key]));
    return keys.find((key) => key.split(/[^\w/.-]+/).includes(named)) ?? keys[0];
  }
}
