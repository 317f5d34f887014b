import type { FaultId } from '@holdfast/core/backend';
import { editingOf } from '../edited/editing-of.ts';
import { builtInSubject, columnNamed, LOCK_NAMES, lockOf } from '../locks/index.ts';
import { FAULT_IDS, meaningOfFault, needsServers } from '../simulator/index.ts';
import { type PlaceableFault, placeableFaults } from './place.ts';

/** What a reader of the page can choose. */
export interface Catalogue {
  readonly locks: readonly PlayableLock[];
  readonly faults: readonly PlayableFault[];
  /** The faults that can be put on a lane. */
  readonly placeable: readonly PlaceableFault[];
}

export interface PlayableLock {
  readonly id: string;
  readonly kind: 'control' | 'lock' | 'exhibit' | 'debated';
  /** One sentence that introduces it. */
  readonly meaning: string;
  readonly hasServers: boolean;
  /** The package whose files can be edited, and the file that opens the lock. */
  readonly edits?: string;
  readonly entry?: string;
}

export interface PlayableFault {
  readonly id: FaultId;
  readonly meaning: string;
  readonly needsServers: boolean;
}

/** All locks and faults that are registered; a new one appears without a change here. */
export function catalogue(): Catalogue {
  return {
    locks: LOCK_NAMES.flatMap((id) => {
      const [subject, lock] = [builtInSubject(id), lockOf(id)];
      if (subject === undefined || lock === undefined) return [];
      const { meaning } = columnNamed(id);
      const { package: edits, entry } = editingOf(id) ?? {};
      const hasServers = subject.nodes > 0;
      return [
        {
          id,
          kind: lock.kind,
          meaning,
          hasServers,
          ...(edits && { edits }),
          ...(entry && { entry }),
        },
      ];
    }),
    faults: FAULT_IDS.map((id) => ({
      id,
      meaning: meaningOfFault(id),
      needsServers: needsServers(id),
    })),
    placeable: placeableFaults(),
  };
}
