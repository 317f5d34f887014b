import { basename, extname } from 'node:path';
import type { SaleStep } from './step.ts';
import { allFaults } from './step-faults.ts';

/** A lock from outside, against everything at once, as those that hold; nothing is expected of it. */
export function externalLockStep(lock: string, hasTokens: boolean): SaleStep {
  const trouble = allFaults(hasTokens ? 'fenced-write' : 'SET');
  return {
    id: basename(lock, extname(lock)),
    part: 'ladder',
    what: hasTokens ? `${lock}, and the stock compares its tokens` : lock,
    deal: hasTokens ? 'fenced' : 'locked',
    lock,
    ...trouble,
    shows: null,
    why: 'Your lock: nothing is expected of it, this is what was found.',
  };
}
