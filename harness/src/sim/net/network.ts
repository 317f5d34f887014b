import { type Kernel, toUs } from '../kernel.ts';
import type { SimProcess } from '../process.ts';
import { partsOf, type World } from '../world.ts';
import { Connection, type ConnectionListener, type Endpoint } from './connection.ts';
import { FaultyChannel } from './faulty-channel.ts';
import type { Message, MessageKind, Rule } from './message.ts';
import { Route } from './route.ts';

/** The latency of a message, one way. */
export interface NetworkOptions {
  readonly latencyMs: number;
  /** Returns what is cut off together with an endpoint; nothing by default. */
  readonly beside?: ((endpoint: string) => readonly Named[]) | undefined;
}

/** Anything with a name in the world: a process, a server. */
export interface Named {
  readonly name: string;
}

/** The decision on one message, all rules taken together. */
export type DeliveryOutcome = { readonly delayUs: number } | 'drop' | 'reset';

const NO_DELAY: DeliveryOutcome = { delayUs: 0 };

/**
 * Connects processes and servers. Every message takes the same time unless a rule decides otherwise. Connections
 * deliver in order, and may overtake each other. While a route is cut no message gets through. Messages sent
 * meanwhile arrive after the heal, as TCP sends them again, even on a connection whose sender has closed it by then.
 */
export class Network {
  readonly #kernel: Kernel;
  readonly #latencyUs: number;
  readonly #beside: NonNullable<NetworkOptions['beside']>;
  readonly #routes = new Map<string, Map<string, Route>>();
  readonly #rules = new Set<Rule>();

  constructor(world: World, options: NetworkOptions) {
    this.#kernel = partsOf(world).kernel;
    this.#latencyUs = toUs(options.latencyMs);
    this.#beside = options.beside ?? (() => []);
  }

  /** Applies a rule to messages that leave from now on; returns a function that removes it. */
  rule(rule: Rule): () => void {
    this.#rules.add(rule);
    return () => void this.#rules.delete(rule);
  }

  /** Cuts the route from `a` to `b`, and back unless `oneWay`. Returns a function that heals it; cuts may overlap. */
  cut(a: Named, b: Named, options: { readonly oneWay?: boolean } = {}): () => void {
    const routes = this.#between(a, b).flatMap(([from, to]) =>
      options.oneWay ? [this.#route(from, to)] : [this.#route(from, to), this.#route(to, from)],
    );
    this.#record('cut', routes);
    const heals = routes.map((route) => route.cut(this.#kernel.nowUs));
    return () => {
      this.#record('heal', routes);
      for (const heal of heals) heal(this.#kernel.nowUs);
    };
  }

  #between(a: Named, b: Named): readonly (readonly [Named, Named])[] {
    const others = [b, ...this.#beside(b.name)];
    return [a, ...this.#beside(a.name)].flatMap((from) => others.map((to) => [from, to] as const));
  }

  /** Delays requests to these servers, health checks too. Returns a function that ends it. */
  slow(servers: readonly Named[], byMs: number): () => void {
    const names = new Set(servers.map(({ name }) => name));
    for (const name of names) this.#kernel.record(name, 'slow', `${byMs}`);
    return this.rule(({ way, to }) =>
      way === 'request' && names.has(to) ? { delayMs: byMs } : 'pass',
    );
  }

  /** Opens a connection. `listener` is notified in the process. */
  connect(process: SimProcess, endpoint: Endpoint, listener: ConnectionListener): Connection {
    const outbound = this.channel(process, endpoint);
    const inbound = this.channel(endpoint, process);
    const connection = new Connection({
      kernel: this.#kernel,
      process,
      endpoint,
      listener,
      outbound,
      inbound,
    });
    connection.dial();
    return connection;
  }

  /** Opens a channel, one way. */
  channel(from: Named, to: Named): FaultyChannel {
    return new FaultyChannel(this.#kernel, this.#route(from, to), this.#latencyUs, this.#outcomeOf);
  }

  #route(from: Named, to: Named): Route {
    let routes = this.#routes.get(from.name);
    if (routes === undefined) this.#routes.set(from.name, (routes = new Map()));
    let route = routes.get(to.name);
    if (route === undefined) routes.set(to.name, (route = new Route(from.name, to.name)));
    return route;
  }

  /** Counts a message and applies the rules to it. */
  readonly #outcomeOf = (route: Route, way: MessageKind, label: string): DeliveryOutcome => {
    const n = route.count(way, label);
    if (this.#rules.size === 0) return NO_DELAY;
    return this.#applyRules({ from: route.from, to: route.to, way, label, n });
  };

  #applyRules(message: Message): DeliveryOutcome {
    let delayMs = 0;
    for (const rule of this.#rules) {
      const outcome = rule(message);
      if (outcome === 'drop' || outcome === 'reset') return outcome;
      if (outcome !== 'pass') delayMs += outcome.delayMs;
    }
    return delayMs === 0 ? NO_DELAY : { delayUs: toUs(delayMs) };
  }

  #record(kind: string, routes: readonly Route[]): void {
    for (const { from, to } of routes)
      this.#kernel.record(from, kind, undefined, undefined, { to });
  }
}
