import type { EventOwner, SimEvent } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Storage } from './storage.ts';

export interface ReplicaWaitsParts {
  readonly kernel: Kernel;
  readonly storage: Storage;
  readonly owner: EventOwner;
}

/** A `WAIT` that blocks its connection. */
interface BlockingWait {
  readonly replicas: number;
  readonly offset: number;
  readonly answer: (count: number) => void;
  readonly timeout: SimEvent | undefined;
}

/** A connection that is blocked, or still has commands that arrived while it was. */
interface Blocked {
  wait: BlockingWait | undefined;
  /** Each returns true once it has run; false if the server is paused, and runs it again later. */
  readonly deferred: (() => boolean)[];
}

/**
 * The connections that wait for replicas. `WAIT` counts those that have what the server wrote up to the latest command of
 * the same connection, and holds up the commands behind it there. Redis looks at timeouts ten times a second; here they
 * end in time.
 */
export class ReplicaWaits {
  readonly #parts: ReplicaWaitsParts;
  /** The server's offset after the latest command of each connection. */
  readonly #offsets = new WeakMap<Connection, number>();
  readonly #blocked = new Map<Connection, Blocked>();

  constructor(parts: ReplicaWaitsParts) {
    this.#parts = parts;
  }

  /** To be called after every command. */
  ran(connection: Connection): void {
    this.#offsets.set(connection, this.#parts.storage.offset);
  }

  /** True if a command has to wait for those before it. */
  isBlocked(connection: Connection): boolean {
    return this.#blocked.has(connection);
  }

  /** Runs a command once those before it have run. */
  defer(connection: Connection, run: () => boolean): void {
    this.#blocked.get(connection)?.deferred.push(run);
  }

  /** Replies at once, or blocks the connection. With `timeoutMs` 0 it has no limit. */
  wait(
    connection: Connection,
    replicas: number,
    timeoutMs: number,
    answer: (count: number) => void,
  ): void {
    const { kernel, storage, owner } = this.#parts;
    const offset = this.#offsets.get(connection) ?? 0;
    const count = storage.replicasAt(offset);
    if (count >= replicas) return answer(count);
    const end = (): boolean => this.#end(connection);
    const endUs = kernel.nowUs + toUs(timeoutMs);
    const timeout = timeoutMs === 0 ? undefined : kernel.schedule(endUs, end, { owner });
    const blocked = this.#blocked.get(connection) ?? { wait: undefined, deferred: [] };
    blocked.wait = { replicas, offset, answer, timeout };
    this.#blocked.set(connection, blocked);
    storage.requestAcknowledgements();
  }

  /** A replica has acknowledged. */
  acknowledged(): void {
    for (const [connection, { wait }] of Array.from(this.#blocked)) {
      if (wait === undefined) continue;
      if (this.#parts.storage.replicasAt(wait.offset) >= wait.replicas) this.#end(connection);
    }
  }

  disconnected(connection: Connection): void {
    const blocked = this.#blocked.get(connection);
    this.#blocked.delete(connection);
    if (blocked?.wait?.timeout !== undefined) blocked.wait.timeout.cancelled = true;
  }

  #end(connection: Connection): boolean {
    const blocked = this.#blocked.get(connection);
    const wait = blocked?.wait;
    if (blocked === undefined || wait === undefined) return false;
    blocked.wait = undefined;
    if (wait.timeout !== undefined) wait.timeout.cancelled = true;
    wait.answer(this.#parts.storage.replicasAt(wait.offset));
    this.#drain(connection, blocked);
    return false;
  }

  /** One event for each command, because the server may die or stop at any of them. */
  #drain(connection: Connection, blocked: Blocked): void {
    const { kernel, owner } = this.#parts;
    const runNext = (): boolean => {
      const [next] = blocked.deferred;
      if (next?.() === false) return false;
      blocked.deferred.shift();
      if (blocked.wait === undefined) this.#drain(connection, blocked);
      return false;
    };
    if (this.#blocked.get(connection) !== blocked) return;
    if (blocked.deferred.length === 0) this.#blocked.delete(connection);
    else kernel.schedule(kernel.nowUs, runNext, { owner });
  }
}
