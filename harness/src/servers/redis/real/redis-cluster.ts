import { setTimeout as sleep } from 'node:timers/promises';
import { RedisClusterNode, type RedisClusterNodeOptions } from './redis-cluster-node.ts';

export interface RedisClusterOptions extends RedisClusterNodeOptions {
  readonly masters?: number;
  /** Replicas of each master. */
  readonly replicas?: number;
  /** More arguments for the server of this place in `nodes`. */
  readonly argsOf?: (place: number) => readonly string[];
}

const SLOTS = 16_384;
const READY_MS = 20_000;
const LOOK_MS = 20;

/** A real Redis Cluster on loopback: first the masters, in the order of their slots, then the replicas in the same order. */
export class RedisCluster {
  readonly nodes: readonly RedisClusterNode[];
  readonly #masters: number;
  readonly #password: string | undefined;

  private constructor(
    nodes: readonly RedisClusterNode[],
    masters: number,
    password: string | undefined,
  ) {
    this.nodes = nodes;
    this.#masters = masters;
    this.#password = password;
  }

  static async start(options: RedisClusterOptions = {}): Promise<RedisCluster> {
    const { masters = 3, replicas = 1, args = [], argsOf } = options;
    const count = masters * (1 + replicas);
    const started = await Promise.allSettled(
      Array.from({ length: count }, (_, at) =>
        RedisClusterNode.start({ ...options, args: [...args, ...(argsOf?.(at) ?? [])] }),
      ),
    );
    const nodes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const cluster = new RedisCluster(nodes, masters, options.password);
    try {
      for (const each of started) if (each.status === 'rejected') throw each.reason;
      await cluster.#join();
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  get masters(): readonly RedisClusterNode[] {
    return this.nodes.slice(0, this.#masters);
  }

  get url(): string {
    const credentials = this.#password === undefined ? '' : `:${this.#password}@`;
    return `redis+cluster://${credentials}${this.masters.map(({ address }) => address).join(',')}`;
  }

  /** Resolves once every node that answers sees all slots served. */
  async untilServing(): Promise<void> {
    await until('cluster_state:ok', async () => {
      const infos = await Promise.all(
        this.nodes.map((node) => node.read('CLUSTER', 'INFO').catch(() => 'cluster_state:ok')),
      );
      return infos.every((info) => info.includes('cluster_state:ok'));
    });
  }

  /** The node that owns a slot, as the nodes that answer see it. */
  async ownerOf(slot: number): Promise<RedisClusterNode> {
    for (const node of this.nodes) {
      // oxlint-disable-next-line no-await-in-loop -- the first that answers is enough
      const view = await node.read('CLUSTER', 'NODES').catch(() => '');
      const port = ownerIn(view, slot);
      const owner = this.nodes.find(({ server }) => server.port === port);
      if (owner !== undefined) return owner;
    }
    throw new Error(`no node owns slot ${slot}`);
  }

  /** The nodes that answer and are masters now: after a failover others than at first. */
  async currentMasters(): Promise<readonly RedisClusterNode[]> {
    const roles = this.nodes.map(async (node) => {
      const role = await node.ask('ROLE').catch(() => null);
      return Array.isArray(role) && role[0] === 'master' ? [node] : [];
    });
    return (await Promise.all(roles)).flat();
  }

  /** A replica of this master, as the master sees it. */
  async replicaOf(master: RedisClusterNode): Promise<RedisClusterNode> {
    const view = await master.read('CLUSTER', 'REPLICAS', await master.id());
    const replica = this.nodes.find(({ server }) => view.includes(`:${server.port}@`));
    if (replica === undefined) throw new Error(`${master.address} has no replica`);
    return replica;
  }

  /** Moves a slot as redis-cli does; `whileMoving` runs when both ends know of it and no key has moved yet. */
  async moveSlot(
    slot: number,
    to: RedisClusterNode,
    whileMoving: (from: RedisClusterNode) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const from = await this.ownerOf(slot);
    const [fromId, toId] = await Promise.all([from.id(), to.id()]);
    await to.ask('CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', toId);
    await whileMoving(from);
    await this.migrateKeys(slot, from, to);
    const others = (await this.currentMasters()).filter((each) => each !== to && each !== from);
    // The target first: otherwise nobody serves the slot for a moment.
    for (const node of [to, from, ...others]) {
      // oxlint-disable-next-line no-await-in-loop
      await node.ask('CLUSTER', 'SETSLOT', `${slot}`, 'NODE', toId);
    }
  }

  /** Moves the keys of a slot that is being moved. */
  async migrateKeys(slot: number, from: RedisClusterNode, to: RedisClusterNode): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      const keys = await from.ask('CLUSTER', 'GETKEYSINSLOT', `${slot}`, '100');
      const names = (Array.isArray(keys) ? keys : []).map(String);
      if (names.length === 0) return;
      const place = ['127.0.0.1', `${to.server.port}`, '', '0', '5000'];
      // oxlint-disable-next-line no-await-in-loop
      await from.ask('MIGRATE', ...place, ...this.#auth, 'KEYS', ...names);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  get #auth(): readonly string[] {
    return this.#password === undefined ? [] : ['AUTH', this.#password];
  }

  async #join(): Promise<void> {
    const [first] = this.nodes;
    if (first === undefined) throw new Error('a cluster needs a master');
    const each = Math.ceil(SLOTS / this.#masters);
    await Promise.all([
      ...this.masters.map((node, at) => {
        const last = Math.min(SLOTS, (at + 1) * each) - 1;
        return node.ask('CLUSTER', 'ADDSLOTSRANGE', `${at * each}`, `${last}`);
      }),
      // Different epochs from the start: equal ones are resolved only when two nodes collide.
      ...this.nodes.map((node, at) => node.ask('CLUSTER', 'SET-CONFIG-EPOCH', `${at + 1}`)),
    ]);
    // All pairs: gossip alone takes seconds to introduce everybody.
    const ports = this.nodes.map(({ server }) => `${server.port}`);
    const bus = this.nodes.map(({ busPort }) => `${busPort}`);
    await Promise.all(
      this.nodes.flatMap((node, at) =>
        ports.flatMap((port, other) =>
          other > at ? [node.ask('CLUSTER', 'MEET', '127.0.0.1', port, bus[other] ?? '')] : [],
        ),
      ),
    );
    await until('all nodes know each other', async () => {
      const views = await Promise.all(this.nodes.map((node) => node.read('CLUSTER', 'NODES')));
      return views.every((view) => {
        const lines = view.trim().split('\n');
        return lines.length === this.nodes.length && !/handshake|noaddr/.test(view);
      });
    });
    const ids = await Promise.all(this.masters.map((node) => node.id()));
    await Promise.all(
      this.nodes
        .slice(this.#masters)
        .map((node, at) => node.ask('CLUSTER', 'REPLICATE', ids[at % ids.length] ?? '')),
    );
    await this.untilServing();
    await until('replicas are linked', async () => {
      const infos = await Promise.all(
        this.nodes.slice(this.#masters).map((node) => node.read('INFO', 'replication')),
      );
      return infos.every((info) => info.includes('master_link_status:up'));
    });
  }
}

/** Reads the port of a slot's master in the reply to CLUSTER NODES. */
function ownerIn(view: string, slot: number): number | undefined {
  for (const line of view.split('\n')) {
    const [, address = '', flags = '', , , , , , ...ranges] = line.trim().split(' ');
    if (!flags.includes('master') || flags.includes('fail')) continue;
    const isOwner = ranges.some((range) => {
      const [from = -1, to = from] = range.split('-').map(Number);
      return slot >= from && slot <= to;
    });
    if (isOwner) return Number(/:(\d+)@/.exec(address)?.[1]);
  }
  return undefined;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + READY_MS;
  // oxlint-disable-next-line no-await-in-loop
  while (!(await isSo())) {
    if (performance.now() > untilMs) throw new Error(`not within ${READY_MS} ms: ${what}`);
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
  }
}
