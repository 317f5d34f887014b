import { setTimeout as sleep } from 'node:timers/promises';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection, LoggedInjection } from './injection.ts';
import type { MasterWatch } from './master-watch.ts';
import { oneOf, type Topology } from './topology.ts';

export interface NemesisOptions {
  readonly topology: Topology;
  readonly masters: MasterWatch;
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
const RECOVERIES = 5;

/** Injects one fault after the other, and keeps a log of them. */
export class Nemesis {
  readonly log: LoggedInjection[] = [];
  /** Errors of injections that did not get to their end. */
  readonly unfinished: string[] = [];
  readonly #options: NemesisOptions;

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  /** Injects faults until `untilMs`; then all servers have recovered. */
  async injectUntil(untilMs: number): Promise<void> {
    const { topology, others, only = () => true, draw, ttlMs } = this.#options;
    const injections = [...topology.injections, ...others].filter(({ kind }) => only(kind));
    let bag: readonly Injection[] = [];
    while (hostMs() < untilMs) {
      await this.#watch(hostMs() + 1_000 + draw() * ttlMs);
      if (injections.length === 0) continue;
      // Each kind once, in any order, then all of them again.
      if (bag.length === 0) bag = injections;
      const injection = oneOf(bag, draw);
      bag = bag.filter((each) => each !== injection);
      const fromMs = hostMs();
      await this.#recovered(await this.#inject(injection), fromMs);
      if (injection.changesMaster) await this.#watch(hostMs() + ttlMs);
    }
  }

  /** Returns what was done. On a busy machine servers may not do what they are told in time, or may change by themselves. */
  async #inject({ kind, inject }: Injection): Promise<string> {
    try {
      await inject(this.#options.draw);
      return kind;
    } catch (error) {
      this.unfinished.push(`${kind}: ${String(error)}`);
      return `${kind}, unfinished`;
    }
  }

  async #recovered(kind: string, fromMs: number): Promise<void> {
    const { topology, masters, unlogged = () => false } = this.#options;
    await retried(() => topology.recover());
    const changes = await masters.take();
    if (!unlogged(kind)) this.log.push({ kind, fromMs, untilMs: hostMs(), changes });
  }

  /** Waits, and logs a failover that the servers made by themselves: a busy machine can look like a dead one. */
  async #watch(untilMs: number): Promise<void> {
    while (hostMs() < untilMs) {
      await sleep(LOOK_MS);
      const fromMs = this.#options.masters.changedFromMs;
      if (fromMs !== undefined) await this.#recovered('failover of its own', fromMs);
    }
  }
}

/** On a busy machine servers take longer to agree than their starter waits. */
async function retried(run: () => Promise<void>): Promise<void> {
  for (let left = RECOVERIES; ; left--) {
    try {
      return await run();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
