/** Searches for locks whose clients hold in modes, for tests of several packages. */

import type { HoldMode } from '@holdfast/core/backend';
import { READERS } from '../../src/search/clients.ts';
import { type SearchOptions, search, type TargetProperty } from '../../src/search/index.ts';
import type { Subject } from '../../src/simulator/index.ts';

type ModeOf = NonNullable<Subject['modeOf']>;

/** Every second client takes both of two permits, the others one. */
const PERMITS: ModeOf = (op): HoldMode => ({
  kind: 'permits',
  permits: (op.id % 2) + 1,
  of: 2,
});
/** How the clients of a search hold. */
export type Modes = 'readers and writers' | 'permits' | 'downgrades' | 're-entry';

const CLIENTS: Readonly<Record<Modes, Pick<Subject, 'modeOf' | 'continuationOf'>>> = {
  'readers and writers': { modeOf: READERS },
  permits: { modeOf: PERMITS },
  downgrades: {
    modeOf: READERS,
    continuationOf: (op) => (READERS(op).kind === 'exclusive' ? 'downgrade' : undefined),
  },
  're-entry': { continuationOf: () => 'reenter' },
};

/** The same lock, with clients that hold in modes. */
export function inModes(subject: Subject, modes: Modes | undefined): Subject {
  if (modes === undefined) return subject;
  const { modeWaiterOf: waiterOf } = subject;
  const clients = CLIENTS[modes];
  return { ...subject, ...clients, ...(clients.modeOf && waiterOf && { waiterOf }) };
}

export const VARIANTS: readonly Modes[] = [
  'readers and writers',
  'permits',
  'downgrades',
  're-entry',
];

const DOWNGRADES: ReadonlySet<string> = new Set([
  'memory',
  'redis-simple',
  'postgres',
  'postgres-synchronous',
]);

/** True if a lock has what the clients of a variant do. */
export function carries(column: string, modes: Modes): boolean {
  return modes !== 'downgrades' || DOWNGRADES.has(column);
}

export const VALIDITY: TargetProperty = { property: 'validity', fenced: false };
export const FENCED: TargetProperty = { property: 'resource', fenced: true };
/** Of a lock whose line can be read. */
export const ORDER: TargetProperty = { property: 'fifo', fenced: false };

/**
 * Searches for two holds that exclude each other and are valid at once, for a write that a token should have stopped, and for
 * a holder that came later than one that still waits. Permits have no tokens.
 */
export async function searchModes(
  subject: Subject,
  modes: Modes,
  options: Pick<SearchOptions, 'faults' | 'budget'> & Partial<SearchOptions>,
): ReturnType<typeof search> {
  const targets = [VALIDITY, FENCED, ORDER];
  return await search({ seed: 7, targets, ...options, subject: inModes(subject, modes) });
}
