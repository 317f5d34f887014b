import type { SimRedisService } from '../redis/service.ts';
import { aim } from './aim.ts';
import type { Arena } from './arena.ts';
import { type Failover, lettersOf, type PeerCut, type SplitBrain } from './schedule.ts';

type PairFault = Failover | PeerCut | SplitBrain;

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
      return cut(arena, pair, fault);
  }
}

/** `out` is what the master sends, `in` what it is sent. */
function cut(arena: Arena, { master, replica }: SimRedisService, { ms, way }: PeerCut): void {
  if (replica === undefined) return;
  const [from, to] = way === 'in' ? [replica, master] : [master, replica];
  arena.world.after(ms, arena.machines.network.cut(from, to, { oneWay: way !== undefined }));
}

/** Whether the master has a key that the replica has not heard of. */
function noteLoss(arena: Arena, { master, replica }: SimRedisService): void {
  // Also of keys without a ttl: the legacy recipe writes its stamp into the value.
  const known = new Set(replica?.engine.keysNow());
  for (const key of master.engine.keysNow())
    if (!known.has(key)) arena.sometimes.add('an unreplicated lock was lost');
}
