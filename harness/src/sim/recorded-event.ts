import type { HistoryEvent, Validity } from '@holdfast/core/backend';
import type { SimProcess } from './process.ts';

/** One grant of a key to one process, or the attempt at it. Opened by `Recorder.acquire`. */
export interface Hold {
  readonly id: string;
  readonly process: SimProcess;
  readonly key: string;
}

/** The remaining validity of a lease: as its backend returned it, or as `lease.remainingMs()` returned it just now. */
export type ValidFor = { readonly validity: Validity } | { readonly remainingMs: number };

/** Makes the event, once its position and the end of validity are known. */
export type MakeEvent = (seq: number, validUntilMs: number) => HistoryEvent;

/** An event as it is kept until the history is asked for. */
export interface RecordedEvent {
  readonly process: SimProcess;
  readonly atMs: number;
  readonly key: string;
  readonly hold: string | undefined;
  /** Of a grant or renewal. Its end is computed last, because a clock may still change. */
  readonly validity: Validity | undefined;
  /** True for a write: one that was accepted before its writer died stays in the history. */
  readonly isWrite: boolean;
  readonly makeEvent: MakeEvent;
}

/** What every event of a hold says. */
export function eventFields({ id, process, key }: Hold): {
  readonly client: string;
  readonly key: string;
  readonly id: string;
  readonly atMs: number;
} {
  return { client: process.name, key, id, atMs: process.nowMs };
}

export function asValidity(process: SimProcess, valid: ValidFor): Validity {
  if ('validity' in valid) return valid.validity;
  return { from: process.clocks, ms: valid.remainingMs };
}
