import type { HoldStatus } from '../hold-log.ts';
import type { Run } from './run.ts';

/** What the servers' own records say of one hold that was granted. */
export interface HoldRecord {
  /** As in the history. */
  readonly hold: string;
  /** At how many of the addresses it has to stand, so that nobody else can be granted the key. */
  readonly quorum: number;
  /** Of each address, the records of the servers behind it. */
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

/** Of every hold in a run. */
export function holdRecordsIn({ owners, cluster }: Run): readonly HoldRecord[] {
  return Array.from(owners, ([hold, owner]) => {
    const { addresses } = cluster.holds(owner);
    return { hold, quorum: Math.floor(addresses.length / 2) + 1, addresses };
  });
}
