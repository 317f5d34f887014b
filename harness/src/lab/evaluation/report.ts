import type { FaultId } from '@holdfast/core';
import type { Column, OutcomeId } from '../../draw/index.ts';
import type { Interval } from '../trials/statistics.ts';
import type { UnservedSpan } from '../trials/unserved-span.ts';
import type { CrossCheck, SimulatedStory } from './cross-check.ts';

/** What the laboratory found out, as it is written to `report.json`; described in docs/testing/lab.md. */
export interface LabReport {
  readonly format: 'holdfast-lab';
  readonly version: 1;
  readonly holdfast: string;
  /** ISO 8601, by the wall clock of the machine that ran it. */
  readonly startedAt: string;
  readonly tookMs: number;
  /** Whether it was ended before all was played. */
  readonly partial: boolean;
  readonly verdict: 'as-expected' | 'unexpected' | 'proved-nothing';
  /** Exact versions of servers, Node and the machine. */
  readonly by: readonly string[];
  readonly command: string;
  readonly settings: {
    readonly ttlMs: number;
    readonly trials: number;
    readonly clients: number;
    /** Absent in older reports. */
    readonly servers?: readonly StartedWith[] | undefined;
  };
  readonly rows: readonly FaultId[];
  readonly columns: readonly Column[];
  readonly cells: readonly LabCell[];
  /** The same with other ttls, where that was asked for. */
  readonly dial: readonly TtlPoint[];
  /** What was not tried, and why. */
  readonly notes: readonly string[];
  /** What the simulator says beside it, where both were asked for. */
  readonly both?: CrossCheck | undefined;
}

/** One way in which servers were started. */
export interface StartedWith {
  readonly server: string;
  /** Which columns were played on it. */
  readonly columns: readonly string[];
  /** DIR and PORT stand for what differs from one to the next. */
  readonly command: string;
  /** The lines of its configuration file. */
  readonly config: readonly string[];
}

/** What became of one fault on one column. */
export interface LabCell {
  readonly fault: FaultId;
  /** Which variant of it, where the matrix has several; absent in older reports. */
  readonly variant?: string | undefined;
  readonly column: string;
  readonly outcome: OutcomeId;
  /** Of a resource that compares fencing tokens. */
  readonly fenced: 'holds' | 'breaks' | 'n/a';
  /** As stated in advance; null: nobody has said. */
  readonly expected: { readonly outcome: OutcomeId; readonly fenced: string } | null;
  readonly unexpected: boolean;
  /** Why it proved nothing, or why there is nothing to try. */
  readonly reason?: string | undefined;
  /** null where nothing was tried. */
  readonly figures: CellFigures | null;
  /** The worst trial, as a picture. */
  readonly timeline?: string | undefined;
  /** The same fault in the simulator; absent where it has no story. */
  readonly story?: SimulatedStory | undefined;
}

/** What one ttl costs, and what it saves. */
export interface TtlPoint {
  readonly column: string;
  readonly ttlMs: number;
  /** Strikes by which two held at once, of those in which a server died. */
  readonly broken: Rate;
  /** After the death of a holder. */
  readonly handoverMs: Spread;
}

/** A rate, with what it rests on. */
export interface Rate {
  readonly hits: number;
  readonly of: number;
  /** 95 %, Wilson. */
  readonly interval: Interval;
}

export interface Spread {
  readonly samples: number;
  /** How many never ended while anybody looked; they count as longer than all others. */
  readonly unended: number;
  /** null: it is among those that never ended, or there are no samples. */
  readonly median: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  /**
   * Where the median lies at 95 %; null of fewer than six samples, and absent where they depend on each other. A bound
   * that is null is longer than anybody looked.
   */
  readonly interval?: { readonly low: number | null; readonly high: number | null } | null;
}

export interface CellFigures {
  readonly trials: number;
  readonly effective: number;
  /** What was done, for people. */
  readonly told: string;
  /** Strikes by which two valid leases overlapped, or two critical sections, or an update was lost. */
  readonly validity: Rate;
  readonly belief: Rate;
  readonly unfenced: Rate;
  readonly fenced: Rate | null;
  readonly updates: { readonly accepted: number; readonly lost: number };
  readonly fencedUpdates: {
    readonly accepted: number;
    readonly refused: number;
    readonly lost: number;
    /** Accepted behind a larger token. */
    readonly stale: number;
  } | null;
  /** Acquisitions and releases of which nobody knew what became of them, of all. */
  readonly indeterminate: Rate;
  /** From the strike to the next grant of the holder's key to somebody else; under `lost-wakeup` to the very one that was not told. */
  readonly handoverMs: Spread;
  /** How long a client that nothing had struck was not served. */
  readonly unavailableMs: Spread;
  /** In each strike, for how long the healthy client was not served that was worst off. */
  readonly outageMs?: Spread;
  /** Strikes in which a client that nothing had struck lost its lease, before anybody else was granted the key. */
  readonly falseLosses?: Rate;
  /** How many leases that were. */
  readonly givenUp: number;
  readonly phases: Readonly<Record<'before' | 'during' | 'after', Phase>>;
  /** Of the strike whose outage was the median of all, for the drawing of the service over time; times are relative to the strike. */
  readonly course: {
    /** For how long the client that was worst off was not served; until the end where it never was again. */
    readonly outageMs: number;
    readonly points: readonly { readonly atMs: number; readonly tookMs: number }[];
    /** When that was; absent without healthy clients. What follows was not written by older laboratories. */
    readonly silence?: UnservedSpan | undefined;
    readonly fromMs?: number;
    /** When the fault was over. */
    readonly healedMs?: number;
    readonly untilMs?: number;
    /** How many acquisitions of healthy clients were granted in each step; one of them begins with the strike. */
    readonly rate?: {
      readonly fromMs: number;
      readonly stepMs: number;
      readonly granted: readonly number[];
    };
  };
  /** One sentence on the worst violation. */
  readonly example?: string | undefined;
}

/** What probes saw in one part of a trial. */
export interface Phase {
  readonly perS: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}
