import { setTimeout as sleep } from 'node:timers/promises';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection, LoggedInjection } from './injection.ts';
import { oneOf, type Topology } from './topology.ts';

export interface NemesisOptions {
  readonly topology: Topology;
  /** Those of clients, beside those of the topology. */
  readonly others: readonly Injection[];
  /** Which are made; all by default. */
  readonly only?: ((kind: string) => boolean) | undefined;
  /** Which are kept from the log; none by default. */
  readonly unlogged?: ((kind: string) => boolean) | undefined;
  /** After a change of the master there are a ttl, and a time without any explanation. */
  readonly ttlMs: number;
  readonly draw: () => number;
}

const LOOK_MS = 250;

/** Injects one fault after the other, and keeps a log of them. */
export class Nemesis {
  readonly log: LoggedInjection[] = [];
  readonly #options: NemesisOptions;
  #masters = '';

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  /** Injects faults until `untilMs`; then all servers have recovered. */
  async injectUntil(untilMs: number): Promise<void> {
    const { topology, others, only = () => true, draw, ttlMs } = this.#options;
    const injections = [...topology.injections, ...others].filter(({ kind }) => only(kind));
    this.#masters = await topology.masters();
    let bag: readonly Injection[] = [];
    while (hostMs() < untilMs) {
      await this.#watch(hostMs() + 1_000 + draw() * ttlMs);
      if (injections.length === 0) continue;
      // Each kind once, in any order, then all of them again.
      if (bag.length === 0) bag = injections;
      const injection = oneOf(bag, draw);
      bag = bag.filter((each) => each !== injection);
      await this.#inject(injection);
      if (injection.changesMaster) await this.#watch(hostMs() + ttlMs);
    }
  }

  async #inject({ kind, changesMaster, inject }: Injection): Promise<void> {
    const fromMs = hostMs();
    await inject(this.#options.draw);
    await this.#recovered({ kind, changesMaster, fromMs });
  }

  async #recovered(injection: Omit<LoggedInjection, 'untilMs'>): Promise<void> {
    const { topology, unlogged = () => false } = this.#options;
    await topology.recover();
    if (!unlogged(injection.kind)) this.log.push({ ...injection, untilMs: hostMs() });
    this.#masters = await topology.masters();
  }

  /** Waits, and logs a failover that the servers made by themselves: a busy machine can look like a dead one. */
  async #watch(untilMs: number): Promise<void> {
    while (hostMs() < untilMs) {
      const fromMs = hostMs();
      await sleep(LOOK_MS);
      if ((await this.#options.topology.masters()) !== this.#masters)
        await this.#recovered({ kind: 'failover of its own', changesMaster: true, fromMs });
    }
  }
}
