import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryEvent } from '@holdfast/core/backend';
import type { ClientLinks } from '../../../../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../../../../support/bundle.ts';
import { Child } from '../../../../support/child.ts';
import type { Injection } from './injection.ts';
import type { Orders, Usage } from './orders.ts';
import { oneOf } from './topology.ts';

export interface ClientsOptions {
  readonly processes: number;
  /** The orders of a process. `name` is another one after a restart. */
  readonly ordersOf: (place: number, name: string) => Orders;
  readonly links: ClientLinks;
  /** The number of groups of processes that share their links. */
  readonly zones: number;
  readonly onEvents: (events: readonly HistoryEvent[]) => void;
  readonly onUsage: (usage: Usage) => void;
  readonly mutation?: Mutation | undefined;
}

const AT_ONCE = 4;
const STOP_MS = 60_000;
const PAUSE_MS = 8_000;
const CUT_MS = 4_000;

/** The processes of the clients, and what is done to them. */
export class Clients {
  /** Errors of those that ended by themselves. */
  readonly failures: string[] = [];
  readonly #options: ClientsOptions;
  readonly #children: (Child | undefined)[] = [];
  #starts = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    // Each ends with this process.
    process.setMaxListeners(process.getMaxListeners() + 2 * this.#options.processes);
    const places = Array.from({ length: this.#options.processes }, (_, place) => place);
    while (places.length > 0)
      await Promise.all(places.splice(0, AT_ONCE).map((place) => this.#open(place)));
    // Those that play slow down those that start.
    for (const child of this.#children) child?.send('play');
  }

  get injections(): readonly Injection[] {
    return [
      { kind: 'client killed', changesMaster: false, inject: (draw) => this.#kill(draw) },
      { kind: 'clients paused', changesMaster: false, inject: (draw) => this.#pause(draw) },
      { kind: 'clients cut', changesMaster: false, inject: (draw) => this.#cut(draw) },
    ];
  }

  /** Ends all clients; resolves to the number of processes that did not stop. */
  async stop(): Promise<number> {
    const stopping = this.#children.map(async (child) => {
      const stopped = child?.waitFor('stopped').then(() => true);
      child?.send('stop');
      return await Promise.race([stopped, sleep(STOP_MS, false)]);
    });
    const stopped = await Promise.all(stopping);
    this.close();
    return stopped.filter((has) => has === false).length;
  }

  close(): void {
    for (const child of this.#children) child?.kill();
  }

  async #open(place: number): Promise<void> {
    const { ordersOf, mutation } = this.#options;
    const orders = ordersOf(place, `p${place}.${++this.#starts}`);
    const module = 'deep/servers/support/topology-soak/soak-process.ts';
    const child = await Child.start(module, { args: [JSON.stringify(orders)], mutation });
    this.#children[place] = child;
    child.onMessage((message) => this.#receive(child, message));
    void child.ended.then(({ signal, errors }) => {
      if (signal !== 'SIGKILL') this.failures.push(errors);
    });
    await child.waitFor('open');
  }

  #receive(child: Child, message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    // They are not kept twice.
    child.received.length = 0;
    const { onEvents, onUsage } = this.#options;
    if ('events' in message) onEvents(message.events as readonly HistoryEvent[]);
    else if ('usage' in message) onUsage(message.usage as Usage);
  }

  /** The process dies as by SIGKILL, between two messages to the judge; another one takes its place. */
  async #kill(draw: () => number): Promise<void> {
    const place = Math.floor(draw() * this.#children.length);
    const child = this.#children[place];
    child?.send('die');
    await child?.ended;
    await this.#open(place);
    this.#children[place]?.send('play');
  }

  /** Pauses a quarter of the processes, some of them for longer than their leases. */
  async #pause(draw: () => number): Promise<void> {
    const pids = this.#children.flatMap((child) => (draw() < 0.25 ? (child?.pid ?? []) : []));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await sleep(draw() * PAUSE_MS);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }

  /** Cuts one zone from all servers, in one direction or both. What was held is lost, or arrives late. */
  async #cut(draw: () => number): Promise<void> {
    const { links, zones } = this.#options;
    const zone = Math.floor(draw() * zones);
    await links.cut(zone, undefined, oneOf(['up', 'down', 'both'] as const, draw));
    await sleep(draw() * CUT_MS);
    await links.healPlace(zone, { drop: draw() < 0.5 });
  }
}
