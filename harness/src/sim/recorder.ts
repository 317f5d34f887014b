import type { HistoryEvent, HoldMode, Validity } from '@holdfast/core/backend';
import type { SimProcess } from './process.ts';
import {
  asValidity,
  eventFields,
  type Hold,
  type MakeEvent,
  type RecordedEvent,
  type ValidFor,
} from './recorded-event.ts';
import type { World } from './world.ts';

export type { Hold, ValidFor } from './recorded-event.ts';

/** The resource's report of an effect. */
export interface Effect {
  readonly resource: string;
  readonly accepted: boolean;
  readonly fenced: boolean;
  readonly token?: bigint | undefined;
  readonly value?: number | undefined;
  readonly readValue?: number | undefined;
}

/** The shortest time a claim can be for: the resolution of virtual time. */
const INSTANT_MS = 0.001;

/**
 * Records a workload as a history on true time. Events of a process count at the process' own moment, so that a stall
 * within a step shows. Events of a dead process are left out.
 */
export class Recorder {
  readonly #world: World;
  readonly #entries: RecordedEvent[] = [];
  #holds = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Opens a hold: `process` requests `key`. */
  acquire(process: SimProcess, key: string): Hold {
    const hold: Hold = { id: `${process.name}/${++this.#holds}`, process, key };
    this.#step(hold, 'acquire');
    return hold;
  }

  /** `atMs`: since when it has been valid, if not only from now on. */
  granted(
    hold: Hold,
    valid: ValidFor,
    token?: bigint,
    mode?: HoldMode,
    atMs: number = hold.process.nowMs,
  ): void {
    const { client, key, id } = eventFields(hold);
    const type = 'granted';
    const tokenText = token?.toString();
    const { nowMs } = hold.process;
    const makeEvent: MakeEvent = (seq, validUntilMs) => ({
      seq,
      atMs,
      client,
      key,
      hold: id,
      type,
      validUntilMs,
      token: tokenText,
      ...(nowMs > atMs && { repliedMs: nowMs }),
      ...(mode && { mode }),
    });
    this.#add(hold, makeEvent, asValidity(hold.process, valid), atMs);
  }

  /** `askedMs`: when the request left whose reply this is; absent if it is not known. */
  renewed(hold: Hold, valid: ValidFor, askedMs?: number): void {
    const { client, key, id, atMs } = eventFields(hold);
    const type = 'renewed';
    const makeEvent: MakeEvent = (seq, validUntilMs) => ({
      seq,
      atMs,
      client,
      key,
      hold: id,
      type,
      validUntilMs,
      askedMs,
    });
    this.#add(hold, makeEvent, asValidity(hold.process, valid));
  }

  /**
   * Records that the lease reports at this moment that it is held, as `assertHeld()` does by returning. That is a
   * claim of validity like any other. It is recorded as a renewal that lasts only for this moment, unless the moment
   * lies within a known validity.
   */
  claimed(hold: Hold): void {
    const { process, id } = hold;
    const known = this.#entries.findLast(
      (entry) => entry.validity !== undefined && entry.hold === id,
    );
    if (known?.validity !== undefined && process.nowMs < process.times.endOf(known.validity))
      return;
    this.renewed(hold, { remainingMs: INSTANT_MS });
  }

  denied(hold: Hold, reason: string): void {
    this.#outcome(hold, 'denied', reason);
  }

  doubt(hold: Hold, reason: string): void {
    this.#outcome(hold, 'doubt', reason);
  }

  lost(hold: Hold, reason: string): void {
    this.#outcome(hold, 'lost', reason);
  }

  /** To be called right before `lease.release()`. */
  release(hold: Hold): void {
    this.#step(hold, 'release');
  }

  released(hold: Hold, outcome: 'released' | 'not-held' | 'unknown'): void {
    const { client, key, id, atMs } = eventFields(hold);
    const type = 'released';
    this.#add(hold, (seq) => ({ seq, atMs, client, key, hold: id, type, outcome }));
  }

  enter(hold: Hold): void {
    this.#step(hold, 'enter');
  }

  exit(hold: Hold): void {
    this.#step(hold, 'exit');
  }

  /** To be called at the resource, at the moment it accepts or rejects; the writer may be dead by then. */
  write({ id: hold, process, key }: Hold, effect: Effect): void {
    const atMs = this.#world.nowMs;
    const { name: client } = process;
    const type = 'write';
    const { resource, accepted, fenced, value, readValue } = effect;
    const token = effect.token?.toString();
    // Spelt out, as all events are: V8 takes ten times as long over objects that are spread together.
    const makeEvent: MakeEvent = (seq) => ({
      seq,
      atMs,
      client,
      key,
      hold,
      type,
      resource,
      accepted,
      fenced,
      token,
      value,
      readValue,
    });
    this.#entries.push({ process, atMs, key, hold, validity: undefined, isWrite: true, makeEvent });
  }

  /** Records that `process` is paused from now on, for `ms`. */
  paused(process: SimProcess, ms: number): void {
    const atMs = this.#world.nowMs;
    const client = process.name;
    const untilMs = atMs + ms;
    this.#addForEveryKey(process, (key) => (seq) => ({
      seq,
      atMs,
      client,
      key,
      type: 'paused',
      untilMs,
    }));
  }

  /** To be called right before `process.crash()`. */
  crashed(process: SimProcess): void {
    const atMs = this.#world.nowMs;
    const client = process.name;
    this.#addForEveryKey(process, (key) => (seq) => ({ seq, atMs, client, key, type: 'crashed' }));
  }

  /** Returns all events so far, in the order of true time. */
  history(): readonly HistoryEvent[] {
    return this.#entries
      .filter(({ process, isWrite, atMs }) => isWrite || atMs <= process.crashedAtMs)
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ process, validity, makeEvent }, seq) =>
        makeEvent(seq, validity === undefined ? Number.NaN : process.times.endOf(validity)),
      );
  }

  #step(hold: Hold, type: 'acquire' | 'enter' | 'exit' | 'release'): void {
    const { client, key, id, atMs } = eventFields(hold);
    this.#add(hold, (seq) => ({ seq, atMs, client, key, hold: id, type }));
  }

  #outcome(hold: Hold, type: 'denied' | 'doubt' | 'lost', reason: string): void {
    const { client, key, id, atMs } = eventFields(hold);
    this.#add(hold, (seq) => ({ seq, atMs, client, key, hold: id, type, reason }));
  }

  #add(
    { id, process, key }: Hold,
    makeEvent: MakeEvent,
    validity?: Validity,
    atMs: number = process.nowMs,
  ): void {
    if (process.crashed) return;
    this.#entries.push({ process, atMs, key, hold: id, validity, isWrite: false, makeEvent });
  }

  /** Adds one event for every key that the process used. */
  #addForEveryKey(process: SimProcess, makeEventFor: (key: string) => MakeEvent): void {
    if (process.crashed) return;
    const own = this.#entries.filter((entry) => entry.process === process);
    const atMs = this.#world.nowMs;
    const [hold, validity] = [undefined, undefined];
    for (const key of new Set(own.map((entry) => entry.key)))
      this.#entries.push({
        process,
        atMs,
        key,
        hold,
        validity,
        isWrite: false,
        makeEvent: makeEventFor(key),
      });
  }
}
