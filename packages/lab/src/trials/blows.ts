import type { FaultId } from '@holdfast/core';
import { type Blow, HARMLESS, type Struck, strikeOf } from './blow.ts';
import { clientBlow } from './client-blows.ts';

/** After which an old holder sends what it owed long ago. */
const SENDS_LATE: ReadonlySet<FaultId> = new Set([
  'delay',
  'reorder',
  'pause',
  'loop-block',
  'suspend',
  'client-cut',
]);

const JUMPS: ReadonlySet<FaultId> = new Set(['server-clock-forward', 'server-clock-back']);

/** @throws Error for a fault that this site does not show */
export function blowOf(fault: FaultId, struck: Struck): Blow {
  const blow = clientBlow(fault, struck) ?? siteBlow(fault, struck);
  const othersStay = (struck.site.othersStay ?? false) && SENDS_LATE.has(fault);
  return { ...blow, othersStay };
}

function siteBlow(fault: FaultId, struck: Struck): Blow {
  if (fault === 'none') return { ...HARMLESS, lasts: false, holderLeaves: true };
  const strike = strikeOf(fault, struck);
  if (strike === undefined) throw new Error(`${fault} cannot be played here`);
  const { told, afterRenewal = false, beforeEnd = false } = strike;
  const { holderLeaves = false, holderKeeps = false, isUntold = false } = strike;
  return {
    ...HARMLESS,
    told,
    lasts: strike.heal !== undefined && !beforeEnd,
    goesOn: strike.heal !== undefined && !JUMPS.has(fault),
    beforeEnd,
    afterRenewal,
    holderLeaves,
    handsOver: isUntold || (fault === 'client-cut' && !holderKeeps),
    struck: [0, ...(strike.alsoStrikes ?? [])],
    faulted: strike.faulted ?? (fault === 'client-cut' ? [0] : []),
    patient: isUntold,
    newcomer: strike.newcomer ?? false,
    recoverMs: strike.recoverMs,
    prepare: async () => await strike.prepare?.(),
    strike: () => strike.strike(),
    heal: async () => await strike.heal?.(),
  };
}
