import { setTimeout as sleep } from 'node:timers/promises';
import {
  RedisCluster,
  type RedisClusterNode,
  type RedisServer,
} from '../../../../../harness/test/kit/real-servers.ts';
import type { Injection } from './injection.ts';
import { behindLag, COUNT, oneOf, type Topology, until } from './topology.ts';

/** Long enough that a busy machine fails nothing over by itself. */
const NODE_TIMEOUT_MS = 1_000;
const MASTERS = 3;
const SLOTS = 16_384;
/** Slots that a resharding moves. */
const MOVED = 200;

/** Three masters with a replica each. */
export class ClusterTopology implements Topology {
  readonly name = 'cluster';
  readonly replicas = 1;
  readonly #cluster: RedisCluster;

  private constructor(cluster: RedisCluster) {
    this.#cluster = cluster;
  }

  static async start(): Promise<ClusterTopology> {
    const args = ['--cluster-allow-replica-migration', 'no'];
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
      failover('planned failover', ({ replica }) => replica.ask('CLUSTER', 'FAILOVER')),
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

  async masters(): Promise<string> {
    const masters = await this.#cluster.currentMasters();
    return masters.map(({ server }) => server.port).join();
  }

  async recover(): Promise<void> {
    const { nodes } = this.#cluster;
    for (const { server } of nodes) server.resume();
    const down = nodes.filter(({ server }) => server.pid === undefined);
    await Promise.all(down.map(({ server }) => server.restart()));
    await until('every master has its replica', () => this.#isWhole());
    await this.#cluster.untilServing();
  }

  async keys(): Promise<{ all: number; locks: number }> {
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
      if ((await this.#cluster.ownerOf(slot)) !== to) await this.#cluster.moveSlot(slot, to);
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

async function untilMaster(node: RedisClusterNode): Promise<void> {
  await until(`${node.address} is promoted`, async () => {
    const role = await node.ask('ROLE').catch(() => null);
    return Array.isArray(role) && role[0] === 'master';
  });
}
