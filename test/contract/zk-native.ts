import { Session } from '@holdfast/zk-client';
import { fourLetters, Proxy, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';
import { containerOf, layoutOf } from '../../packages/zk/test/kit/store.ts';
import type { ServedCalls } from '../support/child.ts';

const LOOK_MS = 20;

/** One server, and a proxy to it for each process of a check: the calls that a child that runs the contract can make. */
export class NativeWorld {
  readonly #server: ZooKeeperServer;
  readonly #ways = new Map<string, Proxy>();
  #foreigner: Session | undefined;

  private constructor(server: ZooKeeperServer) {
    this.#server = server;
  }

  static async start(): Promise<NativeWorld> {
    return new NativeWorld(await ZooKeeperServer.start());
  }

  get served(): ServedCalls {
    return {
      way: async (name = '') => {
        const way = await Proxy.start(this.#server.port);
        this.#ways.set(name, way);
        return `127.0.0.1:${way.port}`;
      },
      stop: async () => this.#server.stop(),
      resume: async () => this.#server.resume(),
      loseReplies: async (name = '') => this.#ways.get(name)?.cut('down'),
      restoreReplies: async (name = '') => this.#ways.get(name)?.heal({ drop: true }),
      outlive: (name = '', session = '') => this.#outlive(name, session),
      putForeign: (key = '') => this.#putForeign(pathOf(key)),
      foreignStands: async (key = '') =>
        (await this.#foreigner?.exists(pathOf(key)))?.stat !== undefined,
      close: () => this.#endCheck(),
    };
  }

  async close(): Promise<void> {
    await this.#endCheck();
    await this.#server.close();
  }

  async #endCheck(): Promise<void> {
    this.#server.resume();
    await this.#foreigner?.close();
    this.#foreigner = undefined;
    await Promise.all([...this.#ways.values()].map((way) => way.close()));
    this.#ways.clear();
  }

  /** Cuts it off until the server has ended its session. */
  async #outlive(name: string, session: string): Promise<void> {
    this.#ways.get(name)?.cut();
    const isKnown = async (): Promise<boolean> =>
      (await fourLetters(this.#server.port, 'dump')).includes(session);
    while (await isKnown()) await new Promise((done) => setTimeout(done, LOOK_MS));
    this.#ways.get(name)?.heal({ drop: true });
  }

  async #putForeign(path: string): Promise<void> {
    this.#foreigner = await Session.open({ servers: [this.#server.address] });
    await this.#foreigner.create(path, 'somebody else’s', { mode: 'ephemeral' });
  }
}

function pathOf(key: string): string {
  return containerOf(layoutOf('holdfast'), key);
}
