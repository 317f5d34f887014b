import { setTimeout as sleep } from 'node:timers/promises';
import { systemRuntime } from '@holdfast/core/backend';
import { openRedisNode } from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { Proxy } from '../../src/processes/proxy/proxy.ts';
import { RedisServer } from '../../src/servers/redis/real/redis-server.ts';

const CALL_MS = 5_000;
const POLL_MS = 2;
const SYNCED_MS = 10_000;
/** By default a master waits 5 s for more replicas before it sends its data to the first. */
const ARGS = ['--repl-diskless-sync-delay', '0'];

/** One of the servers. */
export class ReplicatedMember {
  readonly server: RedisServer;
  /** Its link to its master, whoever that is. */
  readonly link: Proxy;
  readonly #node: RedisNode;

  constructor(server: RedisServer, link: Proxy, node: RedisNode) {
    this.server = server;
    this.link = link;
    this.#node = node;
  }

  ask(...args: string[]): Promise<Reply> {
    const deadlineMs = systemRuntime().now().monotonicMs + CALL_MS;
    return this.#node.command(args, { deadlineMs });
  }

  /** Follows another member, through its link. */
  async follow({ server }: ReplicatedMember): Promise<void> {
    this.link.retarget(server.port);
    await this.ask('REPLICAOF', '127.0.0.1', `${this.link.port}`);
  }

  async isMaster(): Promise<boolean> {
    return String(await this.ask('INFO', 'replication')).includes('role:master');
  }

  async close(): Promise<void> {
    this.server.resume();
    await this.#node.close();
    await this.server.close();
    await this.link.close();
  }
}

/** A master and its replicas, which follow it through links of their own, and one address that leads to the master. */
export class ReplicatedRedis {
  readonly members: readonly ReplicatedMember[];
  /** The address of the master. */
  readonly address: Proxy;
  #master: ReplicatedMember;

  private constructor(
    members: readonly ReplicatedMember[],
    first: ReplicatedMember,
    address: Proxy,
  ) {
    this.members = members;
    this.address = address;
    this.#master = first;
  }

  /** Resolves once all replicas follow. */
  static async start(replicas: number): Promise<ReplicatedRedis> {
    const members = await Promise.all(Array.from({ length: replicas + 1 }, startMember));
    const [first] = members;
    if (first === undefined) throw new RangeError('a master is needed');
    const replicated = new ReplicatedRedis(members, first, await Proxy.start(first.server.port));
    await replicated.#follow(first);
    return replicated;
  }

  get url(): string {
    return this.address.url;
  }

  get master(): ReplicatedMember {
    return this.#master;
  }

  get replicas(): readonly ReplicatedMember[] {
    return this.members.filter((member) => member !== this.#master);
  }

  /**
   * Hands over by `FAILOVER`: the master lets no write through until this replica has them all, or until `forceAfterMs`.
   * The other replicas and the address then move to the new master.
   */
  async failover(to: ReplicatedMember, forceAfterMs?: number): Promise<void> {
    const forced = forceAfterMs === undefined ? [] : ['FORCE', 'TIMEOUT', `${forceAfterMs}`];
    await this.#master.ask('FAILOVER', 'TO', '127.0.0.1', `${to.server.port}`, ...forced);
    while (!(await to.isMaster())) await sleep(POLL_MS);
    await this.#lead(to);
  }

  /** Promotes a replica as it is, while the old master lives on, and leads the address to it. Nobody follows it yet. */
  async promote(to: ReplicatedMember): Promise<void> {
    await to.ask('REPLICAOF', 'NO', 'ONE');
    this.#master = to;
    this.address.retarget(to.server.port);
  }

  /** Makes all others follow the master, and resolves once they do. */
  async rejoin(): Promise<void> {
    await this.#follow(this.#master);
  }

  async close(): Promise<void> {
    await this.address.close();
    await Promise.all(this.members.map((member) => member.close()));
  }

  async #lead(to: ReplicatedMember): Promise<void> {
    this.#master = to;
    this.address.retarget(to.server.port);
    await this.#follow(to);
  }

  async #follow(master: ReplicatedMember): Promise<void> {
    for (const { link } of this.replicas) link.heal({ drop: true });
    await Promise.all(this.replicas.map((replica) => replica.follow(master)));
    const untilMs = performance.now() + SYNCED_MS;
    while (!(await this.#isSynced())) {
      if (performance.now() > untilMs) throw new Error('the replicas do not follow');
      await sleep(POLL_MS);
    }
  }

  /** A replica counts for `WAIT` only from its first acknowledgement on. */
  async #isSynced(): Promise<boolean> {
    const count = await this.#master.ask('WAIT', `${this.replicas.length}`, '50');
    const info = String(await this.#master.ask('INFO', 'replication'));
    const online = info.match(/state=online/g)?.length ?? 0;
    return online === this.replicas.length && count === online;
  }
}

async function startMember(): Promise<ReplicatedMember> {
  const server = await RedisServer.start({ args: ARGS });
  const link = await Proxy.start(server.port);
  const node = await openRedisNode(server.url, { runtime: systemRuntime(), library: 'ioredis' });
  return new ReplicatedMember(server, link, node);
}
