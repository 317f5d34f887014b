import type { Network } from '../sim/net/network.ts';
import type { Cluster, Member } from '../sim/schedule/cluster.ts';
import { type ClientId, nodesIn } from '../sim/schedule/schedule.ts';
import type { World } from '../sim/world.ts';

/** What faults do to the servers of one ensemble, whatever they store. Clients are not bound to a server. */
export abstract class EnsembleCluster<M extends Member>
  implements Pick<Cluster, 'serving' | 'failover' | 'splitBrain' | 'cutPeers' | 'slow'>
{
  abstract readonly network: Network;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Its servers; the last one leads first. */
  abstract get members(): readonly M[];

  /** The server that was elected last, if it leads. */
  protected abstract get leader(): M | undefined;

  serving(mask: number): readonly M[] {
    return nodesIn(mask).flatMap((node) => this.members[node] ?? []);
  }

  failover(_mask: number, ms: number): readonly string[] {
    const leaders = this.#leaders();
    for (const leader of leaders) leader.restart({ data: 'durable', downMs: ms });
    return leaders.map(({ name }) => name);
  }

  splitBrain(_mask: number, ms: number, _stay: readonly ClientId[]): readonly string[] {
    return this.#cutOff(this.#leaders(), ms);
  }

  /** Cuts the servers of the mask from the others; from each other if the mask names all. */
  cutPeers(mask: number, ms: number, way?: 'out' | 'in'): readonly string[] {
    return this.#cutOff(this.serving(mask), ms, way);
  }

  slow(mask: number, byMs: number, ms: number): readonly string[] {
    const slowed = this.serving(mask);
    this.#world.after(ms, this.network.slow(slowed, byMs));
    return slowed.map(({ name }) => name);
  }

  #leaders(): readonly M[] {
    return this.leader === undefined ? [] : [this.leader];
  }

  /** Cuts these servers from the others, or one way only; if they are all, each from the later ones. */
  #cutOff(affected: readonly M[], ms: number, way?: 'out' | 'in'): readonly string[] {
    const { members } = this;
    const isAll = affected.length === members.length;
    for (const [at, one] of members.entries())
      for (const other of affected.length === 0 ? [] : members.slice(at + 1)) {
        if (!isAll && affected.includes(one) === affected.includes(other)) continue;
        const [inside, outside] = affected.includes(one) ? [one, other] : [other, one];
        const [from, to] = way === 'in' ? [outside, inside] : [inside, outside];
        this.#world.after(ms, this.network.cut(from, to, { oneWay: way !== undefined }));
      }
    return affected.map(({ name }) => name);
  }
}
