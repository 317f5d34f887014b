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
  /** Called once if the call fails. */
  readonly onFailed: (cause: unknown) => void;
}

interface Batch {
  readonly kind: string;
  readonly owners: string[];
  readonly deadlineMs: number;
  readonly reply: Promise<Reply>;
}

/** A message has no more owner values. */
const OWNERS_MAX = 256;
/** Of its own time, which a caller must have in a batch: else the last moment of one would be the doubt of many. */
const TIME_SHARE = 1 / 2;

/** Makes one call of those that wait for the same turn: it takes hardly longer. */
export class Batches {
  readonly #runtime: Runtime;
  readonly #turns: Turns;
  readonly #waiting = new Map<string, Batch>();

  constructor(runtime: Runtime, turns: Turns) {
    this.#runtime = runtime;
    this.#turns = turns;
  }

  /** Runs `call` for all that come before its turn; settles as `Turns.run` does. */
  run(
    { key, kind, turn, owner, onFailed }: SharedCall,
    call: (owners: readonly string[]) => Promise<Reply>,
  ): Promise<Reply> {
    const ofKind = `${kind}\n${key}`;
    const name = turn.isUrgent ? ofKind : `\n${key}`;
    // Who is new passes nobody who came before: it goes along with the latest newcomers, or if there are none with those called.
    const waiting = this.#waiting.get(name) ?? this.#waiting.get(ofKind);
    if (waiting?.kind === kind && this.#fits(turn, waiting)) {
      if (!waiting.owners.includes(owner)) waiting.owners.push(owner);
      return waiting.reply;
    }
    const owners = [owner];
    const leave = (): void => {
      if (this.#waiting.get(name)?.owners === owners) this.#waiting.delete(name);
    };
    let hasBegun = false;
    const reply = this.#turns
      .run(key, turn, () => {
        hasBegun = true;
        leave();
        return call(owners);
      })
      .finally(leave);
    reply.catch(onFailed);
    if (!hasBegun) this.#waiting.set(name, { kind, owners, deadlineMs: turn.deadlineMs, reply });
    return reply;
  }

  /** A batch ends by the deadline of its first caller: neither too late for another one, nor long before its time is over. */
  #fits({ deadlineMs }: Turn, batch: Batch): boolean {
    const nowMs = this.#runtime.now().monotonicMs;
    const leastMs = nowMs + (deadlineMs - nowMs) * TIME_SHARE;
    const isInTime = batch.deadlineMs <= deadlineMs && batch.deadlineMs >= leastMs;
    return isInTime && batch.owners.length < OWNERS_MAX;
  }
}
