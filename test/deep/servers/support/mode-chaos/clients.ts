import { hostMs, Proxy } from '../../../../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../../../../support/bundle.ts';
import { Child, type ServedCalls } from '../../../../support/child.ts';
import { anyOf, type Injection, sleep } from '../store-chaos.ts';
import type { Entering, Leaving, Resource } from './resource.ts';
import type { StoreName } from './stores.ts';

const MODULE = 'deep/servers/support/mode-chaos/client-process.ts';
const PAUSED_MS_MAX = 6_000;

export interface ClientsOptions {
  /** Number of processes. */
  readonly size: number;
  readonly store: StoreName;
  /** The ports of the servers. */
  readonly ports: readonly number[];
  readonly resource: Resource;
  /** Makes their lock wrong. */
  readonly mutation?: Mutation | undefined;
}

interface Client {
  readonly name: string;
  readonly proxies: readonly Proxy[];
  child: Child;
}

/** Clients of the same servers: processes that can be paused and killed, each behind proxies of its own. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #clients: Client[] = [];
  #isOver = false;

  private constructor(options: ClientsOptions) {
    this.#options = options;
  }

  static async start(options: ClientsOptions): Promise<Clients> {
    const clients = new Clients(options);
    for (let i = 1; i <= options.size; i++) {
      const proxies = await Promise.all(options.ports.map((port) => Proxy.start(port)));
      const name = `client ${i}`;
      clients.#clients.push({ name, proxies, child: await clients.#open(name, proxies) });
    }
    return clients;
  }

  /** What can be done to the process of a client. */
  get injections(): Readonly<Record<string, Injection>> {
    return {
      'a process is paused': async () => {
        const { pid = 0 } = anyOf(this.#clients).child;
        process.kill(pid, 'SIGSTOP');
        await sleep(PAUSED_MS_MAX * Math.random());
        process.kill(pid, 'SIGCONT');
      },
      'a process is killed': async () => {
        const client = anyOf(this.#clients);
        client.child.kill();
        this.#options.resource.died(client.name, hostMs());
        client.child = await this.#open(client.name, client.proxies);
      },
    };
  }

  /** The proxies of one client, chosen at random. */
  proxies(): readonly Proxy[] {
    return anyOf(this.#clients).proxies;
  }

  /** Ends all processes, and rejects if one had ended by itself. */
  async close(): Promise<void> {
    this.#isOver = true;
    const crashed = this.#clients.filter(({ child }) => !child.isAlive);
    for (const { child } of this.#clients) child.kill();
    const ends = await Promise.all(crashed.map(({ child }) => child.ended));
    const proxies = this.#clients.flatMap((client) => client.proxies);
    await Promise.all(proxies.map((proxy) => proxy.close()));
    if (ends.length > 0) throw new Error(`a client ended: ${ends[0]?.errors}`);
  }

  async #open(name: string, proxies: readonly Proxy[]): Promise<Child> {
    const servers = proxies.map(({ port }) => `127.0.0.1:${port}`);
    const args = [name, this.#options.store, ...servers];
    const { mutation } = this.#options;
    const child = await Child.start(MODULE, { args, serve: this.#served, mutation });
    // While its links are cut, a client may not open; the next injection heals them.
    await child.waitFor('open');
    return child;
  }

  /** The resource, as the processes reach it. What comes after the end is not taken. */
  get #served(): ServedCalls {
    const { resource } = this.#options;
    return {
      enter: async (hold = '', by = '', token = '0') => {
        if (!this.#isOver) resource.enter(hold, entering(by), BigInt(token));
      },
      renewed: async (hold = '', untilMs = '') => {
        if (!this.#isOver) resource.renewed(hold, Number(untilMs));
      },
      write: async (hold = '', token = '0') => resource.write(hold, BigInt(token)),
      leave: async (hold = '', at = '') => {
        if (!this.#isOver) resource.leave(hold, leaving(at), hostMs());
      },
    };
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the client process sends
const entering = (text: string): Entering => JSON.parse(text) as Entering;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the client process sends
const leaving = (text: string): Leaving => JSON.parse(text) as Leaving;
