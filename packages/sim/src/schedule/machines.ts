import type { RedisNode } from '@holdfast/redis/port';
import { Network } from '../net/network.ts';
import type { SimProcess } from '../process.ts';
import { simRedisNode } from '../redis/node.ts';
import { SimRedisServer } from '../redis/server.ts';
import { SimRedisService } from '../redis/service.ts';
import type { World } from '../world.ts';
import { nodeName, nodesIn, replicaName, type Schedule } from './schedule.ts';

/** The servers of one run, and the network between them and the clients. */
export class Machines {
  readonly network: Network;
  readonly #world: World;
  readonly #schedule: Schedule;
  readonly #services: readonly SimRedisService[];

  /** Only as many as the lock on trial uses: a fault of the others could not matter. */
  constructor(world: World, schedule: Schedule, used: number) {
    this.network = new Network(world, { latencyMs: schedule.latencyMs });
    this.#world = world;
    this.#schedule = schedule;
    this.#services = Array.from({ length: Math.min(schedule.nodes, used) }, (_, node) =>
      this.#service(node),
    );
  }

  nodesFor(process: SimProcess): readonly RedisNode[] {
    return this.#services.map((service) => simRedisNode(process, service, this.network));
  }

  /** The addresses of a mask. */
  at(mask: number): readonly SimRedisService[] {
    return nodesIn(mask).flatMap((node) => this.#services[node] ?? []);
  }

  /** The servers that serve now at the addresses of a mask. */
  serving(mask: number): readonly SimRedisServer[] {
    return this.at(mask).map(({ master }) => master);
  }

  /** By name. */
  find(name: string): SimRedisServer | undefined {
    return this.serving(2 ** this.#services.length - 1).find((server) => server.name === name);
  }

  /** At how many addresses something stands of what this contender wrote. */
  votesOf(contender: string): number {
    const isOwn = ({ master }: SimRedisService): boolean =>
      master.engine
        .snapshot()
        .entries.some(
          ([, value]) => typeof value === 'string' && value.startsWith(`${contender}:`),
        );
    return this.#services.filter(isOwn).length;
  }

  #service(node: number): SimRedisService {
    const { replicas, lagMs, replicaClockMs } = this.#schedule;
    const name = nodeName(node);
    const master = new SimRedisServer(this.#world, name);
    if (replicas === 0) return new SimRedisService(this.#world, this.network, { name, master });
    const wall = { wallOffsetMs: replicaClockMs };
    const replica = new SimRedisServer(this.#world, replicaName(node), wall);
    return new SimRedisService(this.#world, this.network, { name, master, replica, lagMs });
  }
}
