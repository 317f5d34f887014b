import { type LockEvent, type Locks } from '@holdfast/core';
import {
  type Backend,
  createHost,
  createLocks,
  type ListenableHost,
  systemRuntime,
} from '@holdfast/core/backend';
import { openZk, type ZkOptions } from '@holdfast/zk';
import { ReplyError, Session, type SessionOptions } from '@holdfast/zk-client';
import { Proxy, ZooKeeperServer } from '../../../../../harness/test/kit/real-servers.ts';
import { containerOf, layoutOf } from '../../../src/keys.ts';

/** T of all sessions. */
const T_MS = 2_000;
const UNTIL_MS_MAX = 20_000;
const runtime = systemRuntime();

/** One process with the backend open, behind a proxy of its own. */
export interface Client {
  readonly backend: Backend;
  readonly locks: Locks;
  readonly proxy: Proxy;
  readonly events: readonly LockEvent[];
}

/** A real server, backends over it, and a session that bypasses the proxies. */
export class ZkWorld {
  readonly server: ZooKeeperServer;
  readonly raw: Session;
  readonly #clients: Client[] = [];
  readonly #sessions: Session[] = [];

  private constructor(server: ZooKeeperServer, raw: Session) {
    this.server = server;
    this.raw = raw;
  }

  static async start(): Promise<ZkWorld> {
    const server = await ZooKeeperServer.start({
      properties: { 'znode.container.checkIntervalMs': '200' },
    });
    return await ZkWorld.on(server);
  }

  /** `close` closes the server, too. */
  static async on(server: ZooKeeperServer): Promise<ZkWorld> {
    return new ZkWorld(server, await Session.open({ servers: [server.address] }));
  }

  async open(name: string, options: Partial<ZkOptions> = {}): Promise<Client> {
    const proxy = await Proxy.start(this.server.port);
    const events: LockEvent[] = [];
    const host: ListenableHost = createHost({ label: name });
    const emit = (event: LockEvent): void => {
      events.push(event);
      host.emit(event);
    };
    const noted = { ...host, emit, hears: () => true };
    const servers = [`127.0.0.1:${proxy.port}`];
    const backend = await openZk({ servers, sessionTimeoutMs: T_MS, ...options }, noted);
    const client = { backend, locks: createLocks(backend, noted), proxy, events };
    this.#clients.push(client);
    return client;
  }

  /** Opens another session that bypasses the proxies. */
  async session(options: Partial<SessionOptions>): Promise<Session> {
    const session = await Session.open({ servers: [this.server.address], ...options });
    this.#sessions.push(session);
    return session;
  }

  /** The names of all nodes in the container of a key. */
  async queue(key: string): Promise<readonly string[]> {
    const container = containerOf(layoutOf('holdfast'), key);
    try {
      return (await this.raw.getChildren(container)).children;
    } catch (error) {
      // The server removes an empty container at any moment.
      if (error instanceof ReplyError && error.code === 'NONODE') return [];
      throw error;
    }
  }

  async close(): Promise<void> {
    this.server.resume();
    await Promise.all(this.#clients.map(({ proxy }) => proxy.close()));
    await Promise.all(this.#clients.map(({ locks }) => locks.close({ timeoutMs: 100 })));
    await Promise.all([this.raw, ...this.#sessions].map((session) => session.close()));
    await this.server.close();
  }
}

/** Polls until `happened` resolves to true. */
export async function until(happened: () => Promise<boolean>): Promise<void> {
  const from = runtime.now();
  while (!(await happened())) {
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX)
      throw new Error(`it did not happen: ${String(happened)}`);
    await new Promise((look) => setTimeout(look, 5));
  }
}
