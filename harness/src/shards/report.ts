import type { FaultId } from '@holdfast/core/backend';
import type { SearchRequest } from '../find/search-request.ts';
import type { CellResult, MatrixColumn } from '../matrix/index.ts';
import type { Counterexample, Tally } from '../search/index.ts';
import type { Schedule } from '../simulator/index.ts';
import type { Shard } from './shard.ts';

/**
 * The result of one machine in a campaign that many share, as it is written to a file; described in
 * docs/testing/sharding.md. Nothing in it depends on the machine or its number of threads.
 */
export type ShardReport = FindShard | CompareShard;

interface ShardHead {
  readonly format: 'holdfast-shard';
  readonly version: 1;
  /** Version of the package that wrote it. */
  readonly holdfast: string;
  readonly shard: Shard;
}

export interface FindShard extends ShardHead {
  readonly kind: 'find';
  readonly campaign: FindCampaign;
  readonly tally: Tally;
  /** The first hit of every target kind in this shard. */
  readonly hits: readonly Counterexample[];
  /** Set for a lock that never yielded; then nothing else is known. */
  readonly still: { readonly message: string; readonly schedule: Schedule } | null;
}

/** The campaign of a report; equal in all its shards. */
export interface FindCampaign extends Omit<SearchRequest, 'folder' | 'property'> {
  readonly property: Exclude<SearchRequest['property'], undefined> | null;
  /** The fingerprint of lock and simulator; null for a lock that never yields. */
  readonly fingerprint: string | null;
}

export interface CompareShard extends ShardHead {
  readonly kind: 'compare';
  readonly campaign: CompareCampaign;
  /** In the order of the cells of the campaign. */
  readonly trials: readonly CellResult[];
}

/** The campaign of a report; equal in all its shards. */
export interface CompareCampaign {
  readonly seed: number;
  /** Schedules per cell. */
  readonly budget: number;
  /** The requested faults; null for all. */
  readonly faults: readonly string[] | null;
  readonly backends: readonly string[] | null;
  readonly cells: readonly CampaignCell[];
}

export interface CampaignCell {
  readonly fault: FaultId;
  readonly variant?: string;
  readonly column: MatrixColumn;
  readonly fingerprint: string;
}
