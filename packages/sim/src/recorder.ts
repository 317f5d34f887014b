import type { HistoryEvent, Validity } from '@holdfast/core';
import type { SimProcess } from './process.ts';
import type { World } from './world.ts';

/** One grant of a key to one process, or the attempt at it. Opened by `Recorder.acquire`. */
export interface Hold {
  readonly id: string;
  readonly process: SimProcess;
  readonly key: string;
}

/** How long a lease says it is valid: as its backend put it, or as `lease.remainingMs()` answered just now. */
export type ValidFor = { readonly validity: Validity } | { readonly remainingMs: number };

/** What the resource says of an effect. */
export interface Effect {
  readonly resource: string;
  readonly accepted: boolean;
  readonly fenced: boolean;
  readonly token?: bigint | undefined;
  readonly value?: number | undefined;
  readonly readValue?: number | undefined;
}

type WriteEvent = Extract<HistoryEvent, { readonly type: 'write' }>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  readonly process: SimProcess;
  readonly event: HistoryEvent;
  /** Of a grant or renewal. Its end is worked out last, because a clock may yet change. */
  readonly validity?: Validity | undefined;
}

/** The shortest time a claim can be for: the resolution of virtual time. */
const INSTANT_MS = 0.001;
/** Filled in by `history()`. */
const LATER = 0;

/**
 * Writes down what a workload does, as a history on true time. What a process does counts at the process' own
 * moment, so that a stall within a step shows; what a dead process still seems to do is left out.
 */
export class Recorder {
  readonly #world: World;
  readonly #entries: Entry[] = [];
  #holds = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Opens a hold: `process` asks for `key`. */
  acquire(process: SimProcess, key: string): Hold {
    const hold: Hold = { id: `${process.name}/${++this.#holds}`, process, key };
    this.#add(process, { ...place(hold), type: 'acquire' });
    return hold;
  }

  granted(hold: Hold, valid: ValidFor, token?: bigint): void {
    const event = { ...place(hold), type: 'granted', validUntilMs: LATER, ...text(token) } as const;
    this.#add(hold.process, event, asValidity(hold.process, valid));
  }

  renewed(hold: Hold, valid: ValidFor): void {
    const event = { ...place(hold), type: 'renewed', validUntilMs: LATER } as const;
    this.#add(hold.process, event, asValidity(hold.process, valid));
  }

  /**
   * The lease answers, at this moment, that it is held, as `assertHeld()` does by returning. That is a claim of
   * validity like any other: it is written down as a renewal which lasts no longer than the moment, unless the
   * moment lies within a validity that is known already.
   */
  claimed(hold: Hold): void {
    const { process, id } = hold;
    const known = this.#entries.findLast(
      ({ event, validity }) => validity !== undefined && 'hold' in event && event.hold === id,
    );
    if (known?.validity !== undefined && process.nowMs < process.endOf(known.validity)) return;
    this.renewed(hold, { remainingMs: INSTANT_MS });
  }

  denied(hold: Hold, reason: string): void {
    this.#add(hold.process, { ...place(hold), type: 'denied', reason });
  }

  doubt(hold: Hold, reason: string): void {
    this.#add(hold.process, { ...place(hold), type: 'doubt', reason });
  }

  lost(hold: Hold, reason: string): void {
    this.#add(hold.process, { ...place(hold), type: 'lost', reason });
  }

  /** To be called right before `lease.release()`. */
  release(hold: Hold): void {
    this.#add(hold.process, { ...place(hold), type: 'release' });
  }

  released(hold: Hold, outcome: 'released' | 'not-held' | 'unknown'): void {
    this.#add(hold.process, { ...place(hold), type: 'released', outcome });
  }

  enter(hold: Hold): void {
    this.#add(hold.process, { ...place(hold), type: 'enter' });
  }

  exit(hold: Hold): void {
    this.#add(hold.process, { ...place(hold), type: 'exit' });
  }

  /** To be called at the resource, at the moment it accepts or refuses; the writer may be dead by then. */
  write({ id, process, key }: Hold, effect: Effect): void {
    const { resource, accepted, fenced, token, value, readValue } = effect;
    const atMs = this.#world.nowMs;
    const who = { seq: LATER, atMs, client: process.name, key, hold: id };
    const event: Writable<WriteEvent> = { ...who, type: 'write', resource, accepted, fenced };
    if (token !== undefined) event.token = token.toString();
    if (value !== undefined) event.value = value;
    if (readValue !== undefined) event.readValue = readValue;
    this.#entries.push({ process, event });
  }

  /** `process` stands still from now on, for `ms`. */
  paused(process: SimProcess, ms: number): void {
    const atMs = this.#world.nowMs;
    for (const key of this.#keysOf(process)) {
      const who = { seq: LATER, atMs, client: process.name, key };
      this.#add(process, { ...who, type: 'paused', untilMs: atMs + ms });
    }
  }

  /** To be called right before `process.crash()`. */
  crashed(process: SimProcess): void {
    for (const key of this.#keysOf(process)) {
      const who = { seq: LATER, atMs: this.#world.nowMs, client: process.name, key };
      this.#add(process, { ...who, type: 'crashed' });
    }
  }

  /** Everything so far, in the order of true time. */
  history(): readonly HistoryEvent[] {
    return this.#entries
      .filter(({ process, event }) => event.type === 'write' || event.atMs <= process.diedAtMs)
      .toSorted((a, b) => a.event.atMs - b.event.atMs)
      .map((entry, seq) => finished(entry, seq));
  }

  #add(process: SimProcess, event: HistoryEvent, validity?: Validity): void {
    if (!process.crashed) this.#entries.push({ process, event, validity });
  }

  #keysOf(process: SimProcess): Set<string> {
    const own = this.#entries.filter((entry) => entry.process === process);
    return new Set(own.map(({ event }) => event.key));
  }
}

function place({ id, process, key }: Hold): {
  seq: number;
  atMs: number;
  client: string;
  key: string;
  hold: string;
} {
  return { seq: LATER, atMs: process.nowMs, client: process.name, key, hold: id };
}

function text(token: bigint | undefined): { token?: string } {
  return token === undefined ? {} : { token: token.toString() };
}

function asValidity(process: SimProcess, valid: ValidFor): Validity {
  if ('validity' in valid) return valid.validity;
  return { from: process.clocks, ms: valid.remainingMs };
}

function finished({ process, event, validity }: Entry, seq: number): HistoryEvent {
  if (validity === undefined || !('validUntilMs' in event)) return { ...event, seq };
  return { ...event, seq, validUntilMs: process.endOf(validity) };
}
