import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Proxy,
  ZooKeeperEnsemble,
  ZooKeeperServer,
} from '../../../../../harness/test/kit/real-servers.ts';

/** Sessions end only by the last one, which cuts the clients off from all servers. */
const INJECTIONS = ['stop', 'kill', 'cut', 'lose-replies', 'reset', 'cut-all'] as const;
type Injection = (typeof INJECTIONS)[number];

/** Injects faults into one server at a time, so that two of three are always left: stops it, kills it, or cuts its clients off. Or cuts them all off. */
export class Nemesis {
  readonly counts = new Map<Injection, number>();
  readonly #ensemble: ZooKeeperEnsemble;
  /** In the order of the servers. */
  readonly #proxies: readonly Proxy[];
  readonly #draw: () => number;

  constructor(ensemble: ZooKeeperEnsemble, proxies: readonly Proxy[], draw: () => number) {
    this.#ensemble = ensemble;
    this.#proxies = proxies;
    this.#draw = draw;
  }

  /** Injects faults until `untilMs`; then all servers run, and can be reached. */
  async injectUntil(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      await sleep(this.#between(100, 1_000));
      await this.#inject();
    }
  }

  async #inject(): Promise<void> {
    const injection = INJECTIONS[Math.floor(this.#draw() * INJECTIONS.length)] ?? 'reset';
    const index = Math.floor(this.#draw() * this.#proxies.length);
    const [server, proxy] = [this.#ensemble.servers[index], this.#proxies[index]];
    if (server === undefined || proxy === undefined) return;
    this.counts.set(injection, (this.counts.get(injection) ?? 0) + 1);
    await this.#play(injection, server, proxy);
  }

  async #play(injection: Injection, server: ZooKeeperServer, proxy: Proxy): Promise<void> {
    const ms = this.#between(100, 4_000);
    if (injection === 'stop') {
      server.stop();
      await sleep(ms);
      server.resume();
    } else if (injection === 'kill') {
      server.kill();
      await sleep(ms / 2);
      await server.restart();
    } else if (injection === 'reset') {
      proxy.reset();
    } else if (injection === 'cut-all') {
      for (const each of this.#proxies) each.cut();
      await sleep(2 * ms);
      for (const each of this.#proxies) each.heal({ drop: this.#draw() < 0.5 });
    } else {
      proxy.cut(injection === 'cut' ? 'both' : 'down');
      await sleep(ms);
      // Half the time what was held arrives late, on connections that may be dead for one side.
      proxy.heal({ drop: this.#draw() < 0.5 });
    }
  }

  #between(least: number, most: number): number {
    return least + this.#draw() * (most - least);
  }
}
