import { Session, type SessionOptions, type SessionState } from '@holdfast/zk-client';
import {
  Proxy,
  ZooKeeperServer,
  type ZooKeeperServerOptions,
} from '../../../../../harness/test/kit/real-servers.ts';

/** A real ZooKeeper, a proxy in front of it, sessions through either, all closed when the test is over. */
export class World {
  readonly server: ZooKeeperServer;
  readonly proxy: Proxy;
  readonly #sessions: Session[] = [];

  private constructor(server: ZooKeeperServer, proxy: Proxy) {
    this.server = server;
    this.proxy = proxy;
  }

  static async start(options: ZooKeeperServerOptions = {}): Promise<World> {
    const server = await ZooKeeperServer.start(options);
    return new World(server, await Proxy.start(server.port));
  }

  /** The address of the proxy. */
  get proxied(): string {
    return `127.0.0.1:${this.proxy.port}`;
  }

  /** Opens a session, by default one that bypasses the proxy. */
  async open(options: Partial<SessionOptions> = {}): Promise<Session> {
    const session = await Session.open({
      servers: [this.server.address],
      sessionTimeoutMs: 10_000,
      ...options,
    });
    this.#sessions.push(session);
    return session;
  }

  /** Ends the sessions of a test, and removes what it left. */
  async tidy(): Promise<void> {
    this.proxy.heal();
    await Promise.all(this.#sessions.splice(0).map((session) => session.close()));
    const cleaner = await this.open();
    const { children } = await cleaner.getChildren('/');
    for (const child of children) {
      if (child !== 'zookeeper') await removeAll(cleaner, `/${child}`);
    }
    await cleaner.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close({ timeoutMs: 0 })));
    await this.proxy.close();
    await this.server.close();
  }
}

async function removeAll(session: Session, path: string): Promise<void> {
  const { children } = await session.getChildren(path);
  for (const child of children) await removeAll(session, `${path}/${child}`);
  await session.delete(path);
}

/** Resolves when the session is in this state; rejects when it has ended in another. */
export function become(session: Session, wanted: SessionState): Promise<void> {
  return new Promise((done, fail) => {
    const look = (): void => {
      const { state } = session;
      if (state === wanted) done();
      else if (state === 'connected' || state === 'disconnected') return;
      else fail(new Error(`it is ${state}, and never becomes ${wanted}`));
      stop();
    };
    const stop = session.onState(look);
    look();
  });
}

export function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

/** The error that it rejects with; resolving is an error. */
export async function failureOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const error = await promise.then(
    () => new Error('it resolved'),
    (reason: unknown) => reason,
  );
  if (error instanceof Error) return error;
  throw new Error('not an error', { cause: error });
}
