import type { HistoryEvent } from '@holdfast/core/backend';
import {
  type Direction,
  Proxy,
  ZooKeeperEnsemble,
  type ZooKeeperServer,
} from '../../harness/test/kit/real-servers.ts';
import type { Mutation } from '../support/bundle.ts';
import { Child } from '../support/child.ts';

/** Below syncLimit × tickTime: the leader ends the session of a follower that it has lost before the follower gives up. */
export const T_MS = 4_000;
export const TICK_MS = 500;
const SYNC_LIMIT = 16;
const STARTS_MAX = 3;

/** Three servers whose followers reach the leader through proxies. */
export class CutEnsemble {
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #proxies: ReadonlyMap<string, Proxy>;

  private constructor(ensemble: ZooKeeperEnsemble, proxies: ReadonlyMap<string, Proxy>) {
    this.#ensemble = ensemble;
    this.#proxies = proxies;
  }

  static async start(tickMs: number = TICK_MS): Promise<CutEnsemble> {
    for (let tries = 1; ; tries++) {
      const proxies = new Map<string, Proxy>();
      try {
        return new CutEnsemble(await startThrough(proxies, tickMs), proxies);
      } catch (error) {
        await closeAll(proxies);
        // A free port may be taken by another process before its server is up, or by one of these proxies.
        if (tries === STARTS_MAX) throw error;
      }
    }
  }

  /** The leader, and one of its followers. */
  async roles(): Promise<{ readonly leader: ZooKeeperServer; readonly follower: ZooKeeperServer }> {
    const leader = await this.#ensemble.leader();
    const follower = this.#ensemble.servers.find((server) => server !== leader);
    if (leader === undefined || follower === undefined) throw new Error('there is no leader');
    return { leader, follower };
  }

  /** Drops everything between the two without closing connections; with `up` only from the follower to the leader. */
  cut(follower: ZooKeeperServer, leader: ZooKeeperServer, direction: Direction = 'both'): void {
    const numberOf = (server: ZooKeeperServer): number =>
      this.#ensemble.servers.indexOf(server) + 1;
    const link = this.#proxies.get(`${numberOf(follower)}>${numberOf(leader)}`);
    if (link === undefined) throw new Error('there is no such link');
    link.cut(direction);
  }

  async close(): Promise<void> {
    await this.#ensemble.close();
    await closeAll(this.#proxies);
  }
}

/** Records the proxy of every connection from one server to another. */
function startThrough(proxies: Map<string, Proxy>, tickMs: number): Promise<ZooKeeperEnsemble> {
  return ZooKeeperEnsemble.start({
    tickMs,
    syncLimit: SYNC_LIMIT,
    // A proxy accepts before the leader listens. Followers that connect so early search for a leader again, and find none
    // before this one has given them up.
    config: { initLimit: 3 },
    async peersThrough({ from, to, use, port }) {
      if (use === 'election') return port;
      const proxy = await Proxy.start(port);
      proxies.set(`${from}>${to}`, proxy);
      return proxy.port;
    },
  });
}

async function closeAll(proxies: ReadonlyMap<string, Proxy>): Promise<void> {
  await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
}

export interface Ran {
  readonly history: readonly HistoryEvent[];
  /** The mode that the cut follower reported when the other client held the key. */
  readonly followerMode: string | undefined;
}

export function eventsOf(children: readonly Child[]): HistoryEvent[] {
  const events = children.flatMap(({ received }) => received.flatMap((said) => eventIn(said)));
  return events.toSorted((a, b) => a.atMs - b.atMs).map((event, seq) => ({ ...event, seq }));
}

function eventIn(said: unknown): HistoryEvent[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the holder writes nothing else under this name
  return typeof said === 'object' && said !== null && 'event' in said
    ? [said.event as HistoryEvent]
    : [];
}

/** A process that locks one key at one server. */
export function startHolder(
  name: string,
  server: ZooKeeperServer,
  mutation?: Mutation,
): Promise<Child> {
  const args = [name, server.address, `${T_MS}`, 'orders/42'];
  return Child.start('servers/zk-holder-process.ts', { args, mutation });
}
