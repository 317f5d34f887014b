import type { SimZooKeeper } from '../zookeeper/ensemble.ts';
import type { SimZooKeeperServer } from '../zookeeper/server.ts';
import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import { type Failover, nodesIn, type PeerCut, type SplitBrain } from './schedule.ts';

type EnsembleFault = Failover | PeerCut | SplitBrain;

/**
 * What befalls the servers of an ensemble as such. `failover`: the leader dies, with what it has not told the others,
 * and is back after `ms`. `split-brain`: the leader lives on, cut from the others. `peer-cut`: the servers of the mask
 * are cut from the rest, also one way; all from each other where the mask leaves no rest.
 */
export function strikeEnsemble(arena: Arena, fault: EnsembleFault, index: number): void {
  const { ensemble } = arena.machines;
  if (ensemble === undefined) return;
  aim(arena, fault.when, () => {
    const struck = struckBy(fault, ensemble);
    if (struck.length === 0) return;
    const actors = struck.map(({ name }) => name);
    arena.strikes.add({ kind: fault.kind, fault: index, actors }, fault.ms, () =>
      arena.isContended(),
    );
    if (fault.kind === 'failover')
      for (const leader of struck) leader.restart({ data: 'durable', downMs: fault.ms });
    else cutOff(arena, ensemble, struck, fault);
  });
}

function struckBy(fault: EnsembleFault, ensemble: SimZooKeeper): readonly SimZooKeeperServer[] {
  if (fault.kind === 'peer-cut')
    return nodesIn(fault.nodes).flatMap((node) => ensemble.servers[node] ?? []);
  return ensemble.leader === undefined ? [] : [ensemble.leader];
}

/** One way: from those of the mask to the rest, or back; among all of them, from the first to the later ones, or back. */
function cutOff(
  { world, machines }: Arena,
  { servers }: SimZooKeeper,
  struck: readonly SimZooKeeperServer[],
  fault: PeerCut | SplitBrain,
): void {
  const isAll = struck.length === servers.length;
  const way = 'way' in fault ? fault.way : undefined;
  for (const [at, one] of servers.entries())
    for (const other of servers.slice(at + 1)) {
      if (!isAll && struck.includes(one) === struck.includes(other)) continue;
      const [within, beyond] = struck.includes(one) ? [one, other] : [other, one];
      const [from, to] = way === 'in' ? [beyond, within] : [within, beyond];
      world.after(fault.ms, machines.network.cut(from, to, { oneWay: way !== undefined }));
    }
}
