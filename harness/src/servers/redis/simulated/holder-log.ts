import type { Kernel } from '../../../sim/kernel.ts';
import type { LockKey, ServerHold } from '../../../sim/schedule/holds.ts';
import { ServerHolders } from './server-holders.ts';

interface Write {
  readonly key: string;
  readonly value: string;
}

/**
 * Records the holder of every key on every server: the client whose request led to the write. It therefore works for
 * every lock, whatever its values look like. It works only with traces, in which it finds that client.
 */
export class HolderLog {
  readonly #kernel: Kernel;
  readonly #servers = new Map<string, ServerHolders>();
  /** Servers that ever wrote anything, in order of their first write. */
  readonly #writing = new Set<string>();
  readonly #writes: Write[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }

  /** Creates the part of one server. */
  of(server: string): ServerHolders {
    const holders = new ServerHolders(server, this);
    this.#servers.set(server, holders);
    return holders;
  }

  wrote(server: string, write?: Write): void {
    this.#writing.add(server);
    if (write !== undefined) this.#writes.push(write);
  }

  /** The holders of the lock on each server. */
  holdersOf(lock: LockKey): readonly ServerHold[] {
    const key = this.#stored(lock);
    if (key === undefined) return [];
    return Array.from(this.#writing).flatMap((name) => this.#servers.get(name)?.on(key) ?? []);
  }

  /** Returns the client whose request led to the current event. */
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

  /** Returns the key of the lock: a key that contains its name and stores no fencing tokens. */
  #stored({ key: named, tokens }: LockKey): string | undefined {
    const keys = this.#writes.flatMap(({ key, value }) => (tokens.has(value) ? [] : [key]));
    return keys.find((key) => key.split(/[^\w/.-]+/).includes(named)) ?? keys[0];
  }
}
