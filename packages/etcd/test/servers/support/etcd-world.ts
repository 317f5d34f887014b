import type { LockEvent, Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type ListenableHost,
  systemRuntime,
} from '@holdfast/core/backend';
import { EtcdServer, etcdctl, Proxy } from '../../../../../harness/test/kit/real-servers.ts';
import { openGrpcClient } from '../../../src/adapters/grpc.ts';
import { layoutOf, prefixOf } from '../../../src/keys.ts';
import { openEtcd } from '../../../src/open.ts';
import { LossyClient } from './lossy-client.ts';

const UNTIL_MS_MAX = 20_000;
const runtime = systemRuntime();

/** One process with the backend open, behind a proxy of its own. */
export interface EtcdProcess {
  readonly backend: Backend;
  readonly locks: Locks;
  readonly proxy: Proxy;
  readonly client: LossyClient;
  readonly events: readonly LockEvent[];
}

/** A real server, and backends over it. */
export class EtcdWorld {
  readonly server: EtcdServer;
  readonly #processes: EtcdProcess[] = [];

  private constructor(server: EtcdServer) {
    this.server = server;
  }

  static async start(): Promise<EtcdWorld> {
    return new EtcdWorld(await EtcdServer.start());
  }

  /** Opens the backend as one process would, with leases of `ttlMs`. */
  async open(name: string, ttlMs = 10_000): Promise<EtcdProcess> {
    const proxy = await Proxy.start(this.server.port);
    const events: LockEvent[] = [];
    const host: ListenableHost = createHost({ label: name });
    const emit = (event: LockEvent): void => {
      events.push(event);
      host.emit(event);
    };
    const noted = { ...host, emit, hears: () => true };
    const servers = [`127.0.0.1:${proxy.port}`];
    const client = new LossyClient(await openGrpcClient({ servers }, host.runtime));
    const backend = await openEtcd({ client }, noted);
    const locks = createLocks(backend, noted, { ttlMs });
    const opened = { backend, locks, proxy, client, events };
    this.#processes.push(opened);
    return opened;
  }

  /** Runs etcd's own tool. */
  ctl(...args: readonly string[]): Promise<string> {
    return etcdctl(this.server.address, args);
  }

  /** Runs a transaction of one comparison and one step, as a user's program would. */
  async txn(comparison: string, step: string): Promise<string> {
    return await etcdctl(this.server.address, ['txn'], `${comparison}\n\n${step}\n\n\n`);
  }

  /** The revision of the store. */
  async revision(): Promise<string> {
    const fields = await this.ctl('get', 'nothing', '-w', 'fields');
    return /"Revision" : (\d+)/.exec(fields)?.[1] ?? '';
  }

  /** The keys in the queue of a lock, in order of their names. */
  async queue(key: string): Promise<readonly string[]> {
    const prefix = prefixOf(layoutOf('holdfast'), key);
    const printed = await this.ctl('get', '--prefix', '--keys-only', prefix);
    return printed.split('\n').filter((line) => line !== '');
  }

  /** The number of all leases. */
  async leases(): Promise<number> {
    return Number(/found (\d+) leases/.exec(await this.ctl('lease', 'list'))?.[1]);
  }

  async close(): Promise<void> {
    this.server.resume();
    await Promise.all(this.#processes.map(({ proxy }) => proxy.close()));
    await Promise.all(this.#processes.map(({ locks }) => locks.close({ timeoutMs: 100 })));
    await this.server.close();
  }
}

/** Polls until `happened` resolves to true. */
export async function until(happened: () => Promise<boolean> | boolean): Promise<void> {
  const from = runtime.now();
  while (!(await happened())) {
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX)
      throw new Error(`it did not happen: ${String(happened)}`);
    await new Promise((look) => setTimeout(look, 5));
  }
}
