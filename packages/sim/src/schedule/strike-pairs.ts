import type { SimRedisService } from '../redis/service.ts';
import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import { lettersOf, type PairOutage, type SplitBrain } from './schedule.ts';

type PairFault = PairOutage | SplitBrain;

/** What befalls masters and replicas as pairs: all of a mask at once. */
export function strikePairs(arena: Arena, fault: PairFault, index: number): void {
  aim(arena, fault.when, () => {
    const pairs = arena.machines.at(fault.nodes).filter(({ replica }) => replica !== undefined);
    if (pairs.length === 0) return;
    const actors = pairs.map(({ master }) => master.name);
    arena.strikes.add({ kind: fault.kind, fault: index, actors }, fault.ms, () =>
      arena.isContended(),
    );
    for (const pair of pairs) act(arena, pair, fault);
  });
}

function act(arena: Arena, pair: SimRedisService, fault: PairFault): void {
  switch (fault.kind) {
    case 'failover':
      noteLoss(arena, pair);
      return pair.failover({ afterMs: fault.ms });
    case 'split-brain': {
      noteLoss(arena, pair);
      const stays = lettersOf(fault.stay).map((name) => ({ name }));
      return arena.world.after(fault.ms, pair.splitBrain({ stays }));
    }
    case 'peer-cut':
      return cut(arena, pair, fault.ms);
  }
}

function cut(arena: Arena, { master, replica }: SimRedisService, ms: number): void {
  if (replica !== undefined) arena.world.after(ms, arena.machines.network.cut(master, replica));
}

/** Whether the master has a key that the replica has not heard of. */
function noteLoss(arena: Arena, { master, replica }: SimRedisService): void {
  const known = new Set(Array.from(replica?.engine.expiries() ?? [], ({ key }) => key));
  for (const { key } of master.engine.expiries())
    if (!known.has(key)) arena.sometimes.add('an unreplicated lock was lost');
}
