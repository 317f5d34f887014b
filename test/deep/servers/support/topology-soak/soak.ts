import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '@holdfast/harness/simulator';
import { ClientLinks, hostMs, Proxies } from '../../../../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../../../../support/bundle.ts';
import { Clients } from './clients.ts';
import { ClusterTopology } from './cluster-topology.ts';
import type { LoggedInjection } from './injection.ts';
import { MasterWatch } from './master-watch.ts';
import { Nemesis } from './nemesis.ts';
import { KEYS, type Orders } from './orders.ts';
import { Recorder, type Records } from './recorder.ts';
import { SentinelTopology } from './sentinel-topology.ts';
import type { Topology } from './topology.ts';

const TOPOLOGIES = {
  sentinel: () => SentinelTopology.start(),
  cluster: () => ClusterTopology.start(),
} satisfies Record<string, () => Promise<Topology>>;

export interface SoakOptions {
  readonly topology: keyof typeof TOPOLOGIES;
  readonly ms: number;
  readonly processes: number;
  readonly seed: string;
  /** The kinds of faults that are injected; all by default. */
  readonly only?: (kind: string) => boolean;
  /** The kinds that are kept from the log; none by default. */
  readonly unlogged?: (kind: string) => boolean;
  readonly mutation?: Mutation;
}

export interface Soak extends Records {
  readonly options: SoakOptions;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly log: readonly LoggedInjection[];
  readonly unfinished: readonly string[];
  /** Locks on the servers once all clients have closed, and a ttl is over. */
  readonly locksLeft: number;
  /** The number of processes that did not stop. */
  readonly stuck: number;
  /** Errors of processes that ended by themselves. */
  readonly failures: readonly string[];
}

export const TTL_MS = 6_000;
const HOT_KEYS = 64;
/** In all processes together, of each arm. */
const CLIENTS = 64;
const ZONES = 4;
const LOOK_MS = 5_000;

type Closing = (() => unknown)[];

/** Runs clients of both arms on real servers under random faults, and judges what they were granted. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const closing: Closing = [];
  try {
    return await play(options, closing);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function play(options: SoakOptions, closing: Closing): Promise<Soak> {
  const topology = await TOPOLOGIES[options.topology]();
  closing.push(() => topology.close());
  const proxies = new Proxies(() => undefined);
  closing.push(() => proxies.close());
  const ports = topology.servers.map(({ port }) => port);
  const links = await ClientLinks.open(proxies, ZONES, ports);
  const recorder = new Recorder();
  const clients = new Clients({
    processes: options.processes,
    ordersOf: (place, name) => ordersOf({ topology, links, options }, place, name),
    links,
    zones: ZONES,
    onEvents: (events) => recorder.addEvents(events),
    onUsage: (usage) => recorder.addUsage(usage),
    mutation: options.mutation,
  });
  closing.push(() => clients.close());
  await clients.start();
  const draw = random(options.seed);
  const masters = await MasterWatch.start(topology);
  closing.push(() => masters.end());
  const nemesis = new Nemesis({
    topology,
    masters,
    others: clients.injections,
    only: options.only,
    unlogged: options.unlogged,
    ttlMs: TTL_MS,
    draw: () => draw.next(),
  });
  const looking = setInterval(() => void recorder.look(topology), LOOK_MS);
  closing.push(() => clearInterval(looking));
  const fromMs = hostMs();
  await nemesis.injectUntil(fromMs + options.ms);
  const untilMs = hostMs();
  const stuck = await clients.stop();
  await sleep(TTL_MS);
  const { locks: locksLeft } = await topology.keys();
  const { log, unfinished } = nemesis;
  const records = recorder.end(log, TTL_MS);
  return {
    options,
    fromMs,
    untilMs,
    log,
    unfinished,
    locksLeft,
    stuck,
    failures: clients.failures,
    ...records,
  };
}

interface Setting {
  readonly topology: Topology;
  readonly links: ClientLinks;
  readonly options: SoakOptions;
}

/** Clients reach the servers with data through the links of their zone. */
function ordersOf({ topology, links, options }: Setting, place: number, name: string): Orders {
  const ports = links.portsOf(place % ZONES);
  const natMap = Object.fromEntries(
    topology.servers.map((server, at) => [
      `127.0.0.1:${server.port}`,
      { host: '127.0.0.1', port: ports[at] ?? 0 },
    ]),
  );
  const library = place % 2 === 0 ? 'ioredis' : 'redis';
  const locksAt = { url: topology.urlAt(ports), library, natMap } as const;
  return {
    name,
    arms: { all: { ...locksAt, waitReplicas: topology.replicas }, none: locksAt },
    clients: Math.max(1, Math.round(CLIENTS / options.processes)),
    ttlMs: TTL_MS,
    keys: KEYS,
    hotKeys: HOT_KEYS,
  };
}
