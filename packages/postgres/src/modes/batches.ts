import type { Runtime } from '@holdfast/core';
import type { Reply } from '../port.ts';
import type { Turn, Turns } from './turns.ts';

/** What one caller wants of a call about a key. */
export interface SharedCall {
  readonly key: string;
  /** The same where only owner values differ. */
  readonly kind: string;
  readonly turn: Turn;
  readonly owner: string;
  /** `uncalled`: as `wanted`, by one that nobody has called. */
  readonly what: 'released' | 'wanted' | 'uncalled';
  /** True: others are likely to come at the same moment, and are waited for. */
  readonly isCrowded: boolean;
  /** Called once if the call fails. */
  readonly onFailed: (cause: unknown) => void;
}

/** Those of one call, by owner value. */
export interface Members {
  readonly owners: readonly string[];
  /** Given back before that. */
  readonly released: readonly string[];
  /** False: one of the owners tries without being called, so nobody has called the next ones. */
  readonly isCalled: boolean;
}

interface Batch {
  readonly kind: string;
  readonly owners: Set<string>;
  readonly released: Set<string>;
  isCalled: boolean;
  readonly deadlineMs: number;
}

/** A message has no more owner values. */
const OWNERS_MAX = 256;
/** Of its own time, which a caller must have in a batch: else the last moment of one would be the doubt of many. */
const TIME_SHARE = 1 / 2;
const AWAITED = { awaited: true };

/** Makes one call of those that wait for the same turn: it takes hardly longer. */
export class Batches {
  readonly #runtime: Runtime;
  readonly #turns: Turns;
  /** With the replies to come. */
  readonly #waiting = new Map<string, { readonly batch: Batch; readonly reply: Promise<Reply> }>();

  constructor(runtime: Runtime, turns: Turns) {
    this.#runtime = runtime;
    this.#turns = turns;
  }

  /** Runs `call` for all that come before its turn; settles as `Turns.run` does. */
  run(shared: SharedCall, call: (members: Members) => Promise<Reply>): Promise<Reply> {
    const { key, kind, turn, isCrowded, onFailed } = shared;
    const ofKind = `${kind}\n${key}`;
    const name = turn.isUrgent ? ofKind : `\n${key}`;
    // Who is new passes nobody who came before: it goes along with the latest newcomers, or if there are none with those called.
    const waiting = this.#waiting.get(name) ?? this.#waiting.get(ofKind);
    if (waiting?.batch.kind === kind && this.#fits(turn, waiting.batch)) {
      add(waiting.batch, shared);
      return waiting.reply;
    }
    const { deadlineMs } = turn;
    const batch = {
      kind,
      owners: new Set<string>(),
      released: new Set<string>(),
      isCalled: true,
      deadlineMs,
    };
    add(batch, shared);
    const leave = (): void => {
      if (this.#waiting.get(name)?.batch === batch) this.#waiting.delete(name);
    };
    let hasBegun = false;
    const begin = (): Promise<Reply> => {
      hasBegun = true;
      leave();
      return call(membersOf(batch));
    };
    const reply = this.#turns
      .run(key, turn, () => (isCrowded ? this.#gathered().then(begin) : begin()))
      .finally(leave);
    reply.catch(onFailed);
    if (!hasBegun) this.#waiting.set(name, { batch, reply });
    return reply;
  }

  /** Resolves when all that happens now has happened: also what callers do after the reply to the call before. */
  #gathered(): Promise<void> {
    return new Promise((done) => void this.#runtime.timer(0, done, AWAITED));
  }

  /** A batch ends by the deadline of its first caller: neither too late for another one, nor long before its time is over. */
  #fits({ deadlineMs }: Turn, batch: Batch): boolean {
    const nowMs = this.#runtime.now().monotonicMs;
    const leastMs = nowMs + (deadlineMs - nowMs) * TIME_SHARE;
    const isInTime = batch.deadlineMs <= deadlineMs && batch.deadlineMs >= leastMs;
    return isInTime && batch.owners.size + batch.released.size < OWNERS_MAX;
  }
}

function add(batch: Batch, { owner, what }: SharedCall): void {
  if (what === 'released') batch.released.add(owner);
  else batch.owners.add(owner);
  if (what === 'uncalled') batch.isCalled = false;
}

function membersOf({ owners, released, isCalled }: Batch): Members {
  return { owners: Array.from(owners), released: Array.from(released), isCalled };
}
