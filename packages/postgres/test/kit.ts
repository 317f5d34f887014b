import type { LockEvent, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { migration, openPostgres, type PostgresOptions } from '@holdfast/postgres';
import { PostgresServer } from '../../../harness/test/kit/real-servers.ts';

/** The parts that tests of other packages use beyond the public entries. */
export { openDatabase } from '../src/adapters/open-database.ts';
export { modeStatementsOf } from '../src/modes/statements.ts';
export { tablesOf } from '../src/schema.ts';
export { statementsOf } from '../src/statements.ts';

/** A server with the tables of the locks, and what was opened on it. */
export class Bench {
  readonly server: PostgresServer;
  readonly #closing: (() => Promise<unknown>)[] = [];

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  static async start(options: Parameters<typeof PostgresServer.start>[0] = {}): Promise<Bench> {
    const server = await PostgresServer.start(options);
    await server.sql(migration());
    return new Bench(server);
  }

  /** Opens locks as one process, on this server by default; `events` get everything that it reports. */
  async open(
    options: PostgresOptions & { readonly ttlMs?: number; readonly label?: string } = {},
  ): Promise<{ readonly locks: Locks; readonly events: LockEvent[] }> {
    const { ttlMs = 10_000, label = 'test', ...rest } = options;
    const events: LockEvent[] = [];
    const emit = (event: LockEvent): void => void events.push(event);
    const host = { ...createHost({ label }), emit, hears: () => true };
    const source = rest.source ?? this.server.url;
    const backend = await openPostgres({ ...rest, source }, host);
    const locks = createLocks(backend, host, { ttlMs });
    this.closeLater(() => locks.close({ timeoutMs: 100 }));
    return { locks, events };
  }

  /** Calls `close` when the bench is cleared. */
  closeLater(close: () => Promise<unknown>): void {
    this.#closing.push(close);
  }

  /** Closes what was opened. */
  async closeAll(): Promise<void> {
    await Promise.all(this.#closing.splice(0).map((close) => close()));
  }

  /** Closes what was opened, and empties the tables. */
  async clear(): Promise<void> {
    await this.closeAll();
    await this.server.sql('TRUNCATE holdfast.locks_v1, holdfast.members_v1');
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
