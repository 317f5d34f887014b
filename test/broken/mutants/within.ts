import type { Change } from '../mutate.ts';

/** A mistake in the check of a lease within a transaction. */
export interface WithinMutant extends Change {
  /** The mistake, and its effect. */
  readonly why: string;
  /** The scene that shows it: of `test/broken/within.test.ts` and `test/deep/servers/within-mutants.test.ts`. */
  readonly scene: 'renewal' | 'takeover' | 'number twice' | 'other token';
}

export const WITHIN_MUTANTS: readonly WithinMutant[] = [
  {
    name: 'within-blocks-renewals',
    package: 'postgres',
    file: 'within.ts',
    find: 'FOR KEY SHARE`',
    replace: 'FOR SHARE`',
    why: 'FOR SHARE keeps every column of the row from changing, so the watchdog cannot renew while the transaction is open.',
    scene: 'renewal',
  },
  {
    name: 'within-index-not-unique',
    package: 'postgres',
    file: 'schema.ts',
    find: 'CREATE UNIQUE INDEX',
    replace: 'CREATE INDEX',
    why: 'FOR KEY SHARE keeps only columns of a unique index from changing. Without one on the token another client takes over.',
    scene: 'takeover',
  },
  {
    name: 'within-owner-not-compared',
    package: 'postgres',
    file: 'within.ts',
    find: "(owner = $3 OR owner = '${MARKERS.shared}')",
    replace: '$3::text IS NOT NULL',
    why: 'After a failover to a standby with a slow clock, the next holder can have the same token. Only the owner value tells them apart.',
    scene: 'number twice',
  },
  {
    name: 'within-token-not-compared',
    package: 'postgres',
    file: 'within.ts',
    find: '(token = $4::bigint OR token = $5::bigint)',
    replace: '$4::bigint IS NOT NULL AND $5::bigint IS NOT NULL',
    why: 'A lease with another token than its row passes.',
    scene: 'other token',
  },
];
