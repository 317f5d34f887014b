import { type Kernel, toUs } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import { partsOf, type World } from '../world.ts';
import { Connection, type Near, type Place } from './connection.ts';
import { Lane } from './lane.ts';
import type { Message, Rule, Way } from './message.ts';
import { Road } from './road.ts';

/** How long a message takes one way. */
export interface NetworkOptions {
  readonly latencyMs: number;
}

/** Anything with a name in the world: a process, a server. */
export interface Named {
  readonly name: string;
}

/** What becomes of one message, all rules taken together. */
export type Fate = { readonly delayUs: number } | 'drop' | 'reset';

const AT_ONCE: Fate = { delayUs: 0 };

/**
 * Connects processes and servers. Every message takes the same time unless a rule says otherwise; connections deliver
 * in order, and overtake each other. While a road is cut nothing gets through; what was sent meanwhile arrives after
 * the heal, as TCP sends it again, even on a connection whose sender has closed it by then.
 */
export class Network {
  readonly #kernel: Kernel;
  readonly #latencyUs: number;
  readonly #roads = new Map<string, Map<string, Road>>();
  readonly #rules = new Set<Rule>();

  constructor(world: World, options: NetworkOptions) {
    this.#kernel = partsOf(world).kernel;
    this.#latencyUs = toUs(options.latencyMs);
  }

  /** Puts a rule in force for what leaves from now on; returns what removes it. */
  rule(rule: Rule): () => void {
    this.#rules.add(rule);
    return () => void this.#rules.delete(rule);
  }

  /** Nothing gets from `a` to `b` any more, nor back unless `oneWay`. Returns what heals it; cuts may overlap. */
  cut(a: Named, b: Named, options: { readonly oneWay?: boolean } = {}): () => void {
    const roads = options.oneWay ? [this.#road(a, b)] : [this.#road(a, b), this.#road(b, a)];
    this.#record('cut', roads);
    const opens = roads.map((road) => road.cut(this.#kernel.nowUs));
    return () => {
      this.#record('heal', roads);
      for (const open of opens) open(this.#kernel.nowUs);
    };
  }

  /** What is asked of these servers, health checks too, reaches them so much later. Returns what ends it. */
  slow(servers: readonly Named[], byMs: number): () => void {
    const names = new Set(servers.map(({ name }) => name));
    for (const name of names) this.#kernel.record(name, 'slow', `${byMs}`);
    return this.rule(({ way, to }) =>
      way === 'request' && names.has(to) ? { delayMs: byMs } : 'pass',
    );
  }

  /** A new connection. What happens to it, `near` is told in the process. */
  connect(process: SimProcess, place: Place, near: Near): Connection {
    const there = this.lane(process, place);
    const back = this.lane(place, process);
    const connection = new Connection({ kernel: this.#kernel, process, place, near, there, back });
    connection.dial();
    return connection;
  }

  /** A new channel, one way. */
  lane(from: Named, to: Named): Lane {
    return new Lane(this.#kernel, this.#road(from, to), this.#latencyUs, this.#fate);
  }

  #road(from: Named, to: Named): Road {
    let roads = this.#roads.get(from.name);
    if (roads === undefined) this.#roads.set(from.name, (roads = new Map()));
    let road = roads.get(to.name);
    if (road === undefined) roads.set(to.name, (road = new Road(from.name, to.name)));
    return road;
  }

  /** Counts a message and asks the rules about it. */
  readonly #fate = (road: Road, way: Way, label: string): Fate => {
    const n = road.count(way, label);
    if (this.#rules.size === 0) return AT_ONCE;
    return this.#judge({ from: road.from, to: road.to, way, label, n });
  };

  #judge(message: Message): Fate {
    let delayMs = 0;
    for (const rule of this.#rules) {
      const verdict = rule(message);
      if (verdict === 'drop' || verdict === 'reset') return verdict;
      if (verdict !== 'pass') delayMs += verdict.delayMs;
    }
    return delayMs === 0 ? AT_ONCE : { delayUs: toUs(delayMs) };
  }

  #record(kind: string, roads: readonly Road[]): void {
    for (const { from, to } of roads) this.#kernel.record(from, kind, undefined, undefined, { to });
  }
}
