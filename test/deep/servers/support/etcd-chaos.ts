import type { Lease, Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openEtcd } from '@holdfast/etcd';
import { type EtcdEnsemble, Proxy } from '../../../../harness/test/kit/real-servers.ts';

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

/** Opens locks on these servers, and notes the codes of warnings. */
export async function openOn(
  servers: readonly string[],
  ttlMs: number,
): Promise<{ readonly locks: Locks; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const host = createHost();
  host.on('warning', ({ code }) => void warnings.push(code));
  const locks = createLocks(await openEtcd({ servers }, host), host, { ttlMs });
  return { locks, warnings };
}

/** Clients of one ensemble, each through proxies of its own. */
export class ChaosClients {
  readonly judge: Judge = new Judge();
  readonly #clients: { readonly locks: Locks; readonly proxies: readonly Proxy[] }[] = [];
  #isOver = false;

  static async start(
    { servers }: EtcdEnsemble,
    size: number,
    ttlMs: number,
  ): Promise<ChaosClients> {
    const clients = new ChaosClients();
    for (let i = 0; i < size; i++) {
      const proxies = await Promise.all(servers.map(({ port }) => Proxy.start(port)));
      const addresses = proxies.map(({ port }) => `127.0.0.1:${port}`);
      const { locks } = await openOn(addresses, ttlMs);
      clients.#clients.push({ locks, proxies });
    }
    return clients;
  }

  /** Locks and unlocks until `end`; what fails is tried again. */
  async run(): Promise<void> {
    await Promise.all(this.#clients.map(({ locks }, i) => this.#contend(`client ${i}`, locks)));
  }

  /** The proxies of one client, chosen at random. */
  proxies(random: () => number): readonly Proxy[] {
    return this.#clients[Math.floor(random() * this.#clients.length)]?.proxies ?? [];
  }

  end(): void {
    this.#isOver = true;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map(({ locks }) => locks.close({ timeoutMs: 500 })));
    const proxies = this.#clients.flatMap((client) => client.proxies);
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }

  async #contend(name: string, locks: Locks): Promise<void> {
    while (!this.#isOver) {
      const lease = await locks.acquire('k', { waitMs: 2_000 }).catch(() => undefined);
      if (lease === undefined) continue;
      this.judge.granted(name, lease);
      // Mostly short; now and then past several renewals, or until the lease is lost.
      const holdMs = Math.random() < 0.1 ? 4_000 * Math.random() : 100 * Math.random();
      await new Promise((done) => setTimeout(done, holdMs));
      this.judge.left(lease);
      await lease.release();
    }
  }
}
