import { onAbort } from './abort-signals.ts';
import type { Lease } from './api/lease.ts';
import { isLockError } from './errors.ts';
import type { ListenableHost } from './host.ts';
import { controllerOf, type HeldLease, runWithLease } from './lease.ts';

/** The pause after a term: the next leader may be another process. */
const PAUSE_MS_MIN = 100;
/** The longest pause after terms that failed. */
const PAUSE_MS_MAX = 30_000;

/** The parts of an election. */
export interface ElectionParts {
  readonly key: string;
  readonly backend: string;
  readonly host: ListenableHost;
  /** That of the caller, and one that aborts when the locks are closed: either ends the election. */
  readonly signals: readonly AbortSignal[];
  /** Waits for the key; resolves to what runs the body and releases. */
  campaign(): Promise<Lead>;
}

/** A won campaign. */
export interface Lead {
  /** Runs the body, and releases once it has settled. Rejects as the body does. */
  run(): Promise<void>;
  /** True if the body was told to stop: what it throws then is no failure of its own. */
  readonly isOver: boolean;
}

/** The lead of who holds `lease`. */
export function leadWith(lease: HeldLease, body: (lease: Lease) => unknown): Lead {
  return {
    async run() {
      await runWithLease<unknown, Lease>(lease, controllerOf(lease), body, () => lease.release());
    },
    get isOver() {
      return lease.signal.aborted;
    },
  };
}

/**
 * Campaigns for a key, leads, resigns, and again. Never campaigns before the body has settled: one that goes on after a loss
 * would be a second leader in this process.
 */
export async function elect(parts: ElectionParts): Promise<void> {
  let failures = 0;
  while (!isOver(parts)) {
    const term = await runTerm(parts);
    failures = term === 'failed' ? failures + 1 : 0;
    await pause(parts, pauseMs(failures, parts.host.runtime.random()));
  }
}

/** @throws LockError if this key can never be acquired */
async function runTerm(parts: ElectionParts): Promise<'ended' | 'failed'> {
  let lead: Lead;
  try {
    lead = await parts.campaign();
  } catch (error) {
    if (isOver(parts)) return 'ended';
    if (TEMPORARY.some((code) => isLockError(error, code))) return 'failed';
    throw error;
  }
  try {
    await lead.run();
    return 'ended';
  } catch (cause) {
    if (lead.isOver || isOver(parts)) return 'ended';
    const { key, backend } = parts;
    const message = `the body of elect threw, and leads again after a pause: ${String(cause)}`;
    parts.host.emit({ type: 'warning', backend, code: 'LEADER_THREW', message, key, cause });
    return 'failed';
  }
}

const TEMPORARY = ['LOCK_LOST', 'LOCK_TIMEOUT', 'OUTCOME_UNKNOWN', 'BACKEND_UNAVAILABLE'] as const;

/** Doubles with each failure in a row; the upper half of it is random, so that processes part. */
function pauseMs(failures: number, random: number): number {
  const ms = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** failures);
  return ms / 2 + (ms / 2) * random;
}

function isOver({ signals }: ElectionParts): boolean {
  return signals.some(({ aborted }) => aborted);
}

function pause(parts: ElectionParts, ms: number): Promise<void> {
  if (isOver(parts)) return Promise.resolve();
  return new Promise((resume) => {
    const end = (): void => {
      cancel();
      for (const remove of removals) remove();
      resume();
    };
    const cancel = parts.host.runtime.timer(ms, end, { awaited: true });
    const removals = parts.signals.map((signal) => onAbort(signal, end));
  });
}
