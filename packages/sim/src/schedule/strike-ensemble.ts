import type { SimZooKeeper } from '../zookeeper/ensemble.ts';
import type { SimZooKeeperServer } from '../zookeeper/server.ts';
import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import { nodesIn, type PairOutage, type SplitBrain } from './schedule.ts';

/**
 * What befalls the servers of an ensemble as such. `failover`: the leader dies, with what it has not told the others,
 * and is back after `ms`. `split-brain`: the leader lives on, cut from the others. `peer-cut`: the servers of the mask
 * are cut from the rest; all from each other where the mask leaves no rest.
 */
export function strikeEnsemble(arena: Arena, fault: PairOutage | SplitBrain, index: number): void {
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
    else cutOff(arena, ensemble, struck, fault.ms);
  });
}

function struckBy(
  fault: PairOutage | SplitBrain,
  ensemble: SimZooKeeper,
): readonly SimZooKeeperServer[] {
  if (fault.kind === 'peer-cut')
    return nodesIn(fault.nodes).flatMap((node) => ensemble.servers[node] ?? []);
  return ensemble.leader === undefined ? [] : [ensemble.leader];
}

function cutOff(
  arena: Arena,
  { servers }: SimZooKeeper,
  struck: readonly SimZooKeeperServer[],
  ms: number,
): void {
  const isAll = struck.length === servers.length;
  for (const [at, one] of servers.entries())
    for (const other of servers.slice(at + 1))
      if (isAll || struck.includes(one) !== struck.includes(other))
        arena.world.after(ms, arena.machines.network.cut(one, other));
}
