import type { Lease, Locks } from '@holdfast/core';
import { Proxy } from '../../../../harness/test/kit/real-servers.ts';

/** What clients saw of one lock: all in this process, so by one clock. */
export class Judge {
  readonly violations: string[] = [];
  grants = 0;
  #holder: { readonly lease: Lease; readonly name: string } | undefined;
  #lastToken = 0n;

  granted(name: string, lease: Lease): void {
    this.grants += 1;
    const before = this.#holder;
    if (before !== undefined && before.lease.remainingMs() > 0) {
      const leftMs = Math.round(before.lease.remainingMs());
      this.violations.push(`${name} was granted while ${before.name} had ${leftMs} ms left`);
    }
    const token = lease.fencingToken ?? 0n;
    if (token <= this.#lastToken) this.violations.push(`token ${token} after ${this.#lastToken}`);
    this.#lastToken = token;
    this.#holder = { lease, name };
  }

  /** Called before the release is requested. */
  left(lease: Lease): void {
    if (this.#holder?.lease === lease) this.#holder = undefined;
  }
}

export interface ChaosOptions {
  /** Number of clients. */
  readonly size: number;
  /** The ports of the servers. */
  readonly ports: readonly number[];
  /** Opens the locks of one client, which reaches the servers at these addresses. */
  readonly open: (addresses: readonly string[]) => Promise<Locks>;
}

/** Clients of the same servers, each through proxies of its own. */
export class ChaosClients {
  readonly judge: Judge = new Judge();
  readonly #clients: { readonly locks: Locks; readonly proxies: readonly Proxy[] }[] = [];
  #isOver = false;

  static async start({ size, ports, open }: ChaosOptions): Promise<ChaosClients> {
    const clients = new ChaosClients();
    for (let i = 0; i < size; i++) {
      const proxies = await Promise.all(ports.map((port) => Proxy.start(port)));
      const locks = await open(proxies.map(({ port }) => `127.0.0.1:${port}`));
      clients.#clients.push({ locks, proxies });
    }
    return clients;
  }

  /** Locks and unlocks until `end`, by default one key; what fails is tried again. */
  async run(turn: Turn = (name, locks) => this.#turn(name, locks)): Promise<void> {
    await Promise.all(
      this.#clients.map(async ({ locks }, i) => {
        while (!this.#isOver) await turn(`client ${i}`, locks);
      }),
    );
  }

  /** The proxies of one client, chosen at random. */
  proxies(random: () => number): readonly Proxy[] {
    return this.#clients[Math.floor(random() * this.#clients.length)]?.proxies ?? [];
  }

  /** Leads all clients of a single server to another one. */
  retarget(port: number): void {
    for (const { proxies } of this.#clients) for (const proxy of proxies) proxy.retarget(port);
  }

  end(): void {
    this.#isOver = true;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map(({ locks }) => locks.close({ timeoutMs: 500 })));
    const proxies = this.#clients.flatMap((client) => client.proxies);
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }

  async #turn(name: string, locks: Locks): Promise<void> {
    const lease = await locks.acquire('k', { waitMs: 2_000 }).catch(() => undefined);
    if (lease === undefined) return;
    this.judge.granted(name, lease);
    await workFor();
    this.judge.left(lease);
    await lease.release();
  }
}

/** One turn of a client: it asks for a lock, works and releases it, unless it got none. */
export type Turn = (name: string, locks: Locks) => Promise<void>;

/** Mostly short; now and then past several renewals, or until the lease is lost. */
export async function workFor(): Promise<void> {
  await sleep(Math.random() < 0.1 ? 4_000 * Math.random() : 100 * Math.random());
}

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export function anyOf<T>(all: readonly T[]): T {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}

export type Injection = () => Promise<void>;

/** What can be done to the links of one client. */
export function clientInjections(
  clients: () => Pick<ChaosClients, 'proxies'> | undefined,
): Readonly<Record<string, Injection>> {
  const ofOne = (): readonly Proxy[] => clients()?.proxies(Math.random) ?? [];
  return {
    'a client is cut off': async () => {
      const proxies = ofOne();
      for (const proxy of proxies) proxy.cut();
      await sleep(6_000 * Math.random());
      for (const proxy of proxies) proxy.heal({ drop: Math.random() < 0.5 });
    },
    'a client gets no replies': async () => {
      const proxies = ofOne();
      for (const proxy of proxies) proxy.cut('down');
      await sleep(6_000 * Math.random());
      for (const proxy of proxies) proxy.heal({ drop: true });
    },
    'connections break': async () => {
      for (const proxy of ofOne()) proxy.reset();
    },
  };
}

const PROGRESS_MS = 30_000;

/** Injects one after another, at random, for so long; returns how often each was. Prints its progress: runs are long. */
export async function injectFor(
  ms: number,
  injections: Readonly<Record<string, Injection>>,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const endMs = performance.now() + ms;
  let shownMs = performance.now();
  while (performance.now() < endMs) {
    if (performance.now() - shownMs >= PROGRESS_MS) {
      shownMs = performance.now();
      console.info(`${Math.ceil((endMs - shownMs) / 1_000)} s left: ${JSON.stringify(counts)}`);
    }
    const [name, inject] = anyOf(Object.entries(injections));
    await inject();
    counts[name] = (counts[name] ?? 0) + 1;
    await sleep(1_000 * Math.random());
  }
  return counts;
}
