import type { Arena } from './arena.ts';
import type { Fault } from './schedule.ts';
import { strikeClient, strikeDead, strikeDrift } from './strike-client.ts';
import { strikeEnsemble } from './strike-ensemble.ts';
import { strikeDelay, strikeLostReply, strikeWakeUp } from './strike-messages.ts';
import { strikeCut, strikeNodeDrift, strikeNodes, strikeSwizzle } from './strike-nodes.ts';
import { strikePairs } from './strike-pairs.ts';

/** Has a fault strike when its time comes. What it names and is not there is left alone. */
export function arm(arena: Arena, fault: Fault, index: number): void {
  switch (fault.kind) {
    case 'pause':
    case 'pause-acquire':
    case 'loop-block':
    case 'suspend':
    case 'client-clock':
      return strikeClient(arena, fault, index);
    case 'holder-crash':
      return strikeDead(arena, fault, index);
    case 'drift':
      if ('client' in fault) return strikeDrift(arena, fault, index);
      return strikeNodeDrift(arena, fault, index);
    case 'delay':
    case 'reorder':
      return strikeDelay(arena, fault, index);
    case 'lost-reply':
      return strikeLostReply(arena, fault, index);
    case 'lost-wakeup':
      return strikeWakeUp(arena, fault, index);
    case 'client-cut':
      return strikeCut(arena, fault, index);
    case 'swizzle':
      return strikeSwizzle(arena, fault, index);
    case 'failover':
    case 'split-brain':
    case 'peer-cut':
      if (arena.machines.ensemble !== undefined) return strikeEnsemble(arena, fault, index);
      return strikePairs(arena, fault, index);
    case 'server-clock-forward':
    case 'server-clock-back':
    case 'server-stop':
    case 'restart-empty':
    case 'restart-durable':
    case 'torn-log':
    case 'majority-down':
      return strikeNodes(arena, fault, index);
  }
}
