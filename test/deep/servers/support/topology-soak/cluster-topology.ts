import { setTimeout as sleep } from 'node:timers/promises';
import {
  RedisCluster,
  type RedisClusterNode,
  type RedisServer,
} from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection } from './injection.ts';
import { behindLag, COUNT, type Keys, oneOf, type Topology, until } from './topology.ts';

/** Long enough that a busy machine fails nothing over by itself. */
const NODE_TIMEOUT_MS = 2_000;
/** A replica that lagged for long would never be promoted otherwise. */
const ANY_REPLICA = ['--cluster-replica-validity-factor', '0'];
const GIVEN_UP_MS = 6_000;
const MASTERS = 3;
const SLOTS = 16_384;
/** Slots that a resharding moves. */
const MOVED = 200;
const MOVES = 5;

/** Three masters with a replica each. */
export class ClusterTopology implements Topology {
  readonly name = 'cluster';
  readonly replicas = 1;
  readonly #cluster: RedisCluster;

  private constructor(cluster: RedisCluster) {
    this.#cluster = cluster;
  }

  static async start(): Promise<ClusterTopology> {
    const args = ['--cluster-allow-replica-migration', 'no', ...ANY_REPLICA];
    return new ClusterTopology(
      await RedisCluster.start({ masters: MASTERS, nodeTimeoutMs: NODE_TIMEOUT_MS, args }),
    );
  }

  get servers(): readonly RedisServer[] {
    return this.#cluster.nodes.map(({ server }) => server);
  }

  get injections(): readonly Injection[] {
    const failover = (
      kind: string,
      inject: (pair: Pair, draw: () => number) => Promise<unknown>,
    ): Injection => ({
      kind,
      changesMaster: true,
      inject: async (draw) => {
        const pair = await this.#pair(draw);
        await inject(pair, draw);
        await untilMaster(pair.replica);
      },
    });
    return [
      failover('planned failover', ({ replica }) => plannedFailover(replica)),
      failover('takeover by a lagging replica', (pair) =>
        lagging(pair, () => pair.replica.ask('CLUSTER', 'FAILOVER', 'TAKEOVER')),
      ),
      failover('master killed', ({ master }) => master.server.end()),
      failover('master killed, replica lagging', (pair) =>
        lagging(pair, () => pair.master.server.end()),
      ),
      failover('master paused', async ({ master, replica }, draw) => {
        master.server.stop();
        await untilMaster(replica);
        await sleep(draw() * 1_500);
        master.server.resume();
      }),
      {
        kind: 'replica restarted',
        changesMaster: false,
        inject: async (draw) => {
          const { replica } = await this.#pair(draw);
          await replica.server.end();
          await sleep(draw() * 300);
          await replica.server.restart();
        },
      },
      { kind: 'slots moved', changesMaster: false, inject: (draw) => this.#reshard(draw) },
    ];
  }

  urlAt(ports: readonly number[]): string {
    return `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  }

  async isMaster(at: number): Promise<boolean> {
    const node = this.#cluster.nodes[at];
    return node !== undefined && (await isMaster(node));
  }

  async recover(): Promise<void> {
    const { nodes } = this.#cluster;
    for (const { server } of nodes) server.resume();
    const down = nodes.filter(({ server }) => server.pid === undefined);
    await Promise.all(down.map(({ server }) => server.restart()));
    await until('every master has its replica', () => this.#isWhole());
    await this.#cluster.untilServing();
  }

  async keys(): Promise<Keys> {
    const sum = { all: 0, locks: 0 };
    for (const node of await this.#cluster.currentMasters()) {
      const reply = await node.ask('EVAL', COUNT, '0');
      const [all, locks] = Array.isArray(reply) ? reply : [];
      sum.all += Number(all);
      sum.locks += Number(locks);
    }
    return sum;
  }

  close(): Promise<void> {
    return this.#cluster.close();
  }

  async #pair(draw: () => number): Promise<Pair> {
    const master = oneOf(await this.#cluster.currentMasters(), draw);
    return { master, replica: await this.#cluster.replicaOf(master) };
  }

  async #isWhole(): Promise<boolean> {
    const roles = await Promise.all(
      this.#cluster.nodes.map((node) => node.ask('ROLE').catch(() => null)),
    );
    const isReady = roles.map((role) => {
      if (!Array.isArray(role)) return false;
      const [kind, , replicas, state] = role;
      return kind === 'master'
        ? Array.isArray(replicas) && replicas.length === 1
        : state === 'connected';
    });
    const masters = roles.filter((role) => Array.isArray(role) && role[0] === 'master');
    return isReady.every(Boolean) && masters.length === MASTERS;
  }

  /** Moves some slots in a row to another master. */
  async #reshard(draw: () => number): Promise<void> {
    const first = Math.floor(draw() * (SLOTS - MOVED));
    const from = await this.#cluster.ownerOf(first);
    const masters = await this.#cluster.currentMasters();
    const others = masters.filter((each) => each !== from);
    const to = oneOf(others, draw);
    for (let slot = first; slot < first + MOVED; slot++)
      if ((await this.#cluster.ownerOf(slot)) !== (await this.#masterOf(to)))
        await this.#moveSlot(slot, to);
  }

  /** Goes on after a failover in between: the promoted server has the keys that have been moved. */
  async #moveSlot(slot: number, to: RedisClusterNode): Promise<void> {
    for (let left = MOVES; ; left--) {
      try {
        return await this.#cluster.moveSlot(slot, await this.#masterOf(to));
      } catch (error) {
        if (left === 0) throw error;
        await this.recover();
      }
    }
  }

  /** This server, or its master. */
  async #masterOf(node: RedisClusterNode): Promise<RedisClusterNode> {
    const role = await node.ask('ROLE');
    const [kind, , port] = Array.isArray(role) ? role : [];
    if (kind === 'master') return node;
    return this.#cluster.nodes.find(({ server }) => `${server.port}` === port) ?? node;
  }
}

interface Pair {
  readonly master: RedisClusterNode;
  readonly replica: RedisClusterNode;
}

function lagging({ master, replica }: Pair, failOver: () => Promise<unknown>): Promise<unknown> {
  const disconnect = (): Promise<unknown> => master.ask('CLIENT', 'KILL', 'TYPE', 'REPLICA');
  return behindLag([replica.server], disconnect, failOver);
}

/** A replica gives up after 5 s, for example if it waits for its turn too long. */
async function plannedFailover(replica: RedisClusterNode): Promise<void> {
  await replica.ask('CLUSTER', 'FAILOVER');
  await until(`${replica.address} is promoted`, async () => {
    const untilMs = performance.now() + GIVEN_UP_MS;
    while (performance.now() < untilMs) {
      if (await isMaster(replica)) return true;
      await sleep(20);
    }
    await replica.ask('CLUSTER', 'FAILOVER');
    return false;
  });
}

async function untilMaster(node: RedisClusterNode): Promise<void> {
  await until(`${node.address} is promoted`, () => isMaster(node).catch(() => false));
}

async function isMaster(node: RedisClusterNode): Promise<boolean> {
  const role = await node.ask('ROLE');
  return Array.isArray(role) && role[0] === 'master';
}
