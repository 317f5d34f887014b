import type { FaultId, HistoryEvent, PropertyId, Verdict } from '@holdfast/core';
import type { OutcomeId } from './notation.ts';

/**
 * What a drawing shows: plain data, from a simulation or from a real run; the drawing cannot tell which. All times are
 * in ms on the judge's clock, as in the history.
 */
export interface Scene {
  /** For example `redis-simple, fault failover`. */
  readonly title: string;
  /** What the story is about, and what its headline speaks of. */
  readonly property: PropertyId | 'liveness';
  readonly verdicts: readonly Verdict[];
  /** What went wrong besides mutual exclusion: a wait without end, a timer left behind. One sentence each. */
  readonly complaints?: readonly string[];
  readonly history: readonly HistoryEvent[];
  /** In the order of their lanes: clients, nodes, resources. */
  readonly actors: readonly Actor[];
  readonly messages: readonly Message[];
  readonly faults: readonly SceneFault[];
  readonly serverState: readonly ServerHold[];
  /** Why it proves nothing that nothing went wrong, as a clause: a fault that did not take effect. */
  readonly unproved?: string | undefined;
  /** What is known of the lock besides, and how bad that is. */
  readonly remark?: { readonly outcome: OutcomeId; readonly text: string } | undefined;
}

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'node' | 'resource';
  /** What its wall clock shows, in order of time; none: nobody asked it. */
  readonly clock: readonly ClockPoint[];
}

/** From `atMs` on a wall clock shows `wallMs` and runs `rate` times as fast as it should. */
export interface ClockPoint {
  readonly atMs: number;
  /** Milliseconds since the epoch of Unix. */
  readonly wallMs: number;
  /** 1 when absent. */
  readonly rate?: number;
}

export interface Message {
  readonly from: string;
  readonly to: string;
  /** The command or script, for example `acquire`. */
  readonly label: string;
  readonly sentMs: number;
  /** Null when it never arrived. */
  readonly arrivedMs: number | null;
  /** What was asked or answered, in a few words. */
  readonly detail?: string | undefined;
}

export interface SceneFault {
  readonly kind: FaultId;
  /** Whom it struck. */
  readonly actors: readonly string[];
  readonly atMs: number;
  /** When it was over; absent for what has no length. */
  readonly untilMs?: number | undefined;
  /** What happened, without a subject: `stands still for 1200 ms`. */
  readonly text: string;
  /** Why it does harm: a clause that is true wherever it is part of a minimal story. */
  readonly reason?: string | undefined;
}

/** Whom a node would have named, had it been asked who holds the key. */
export interface ServerHold {
  readonly node: string;
  readonly key: string;
  /** The client's id, where it is known; else what stands in the store. */
  readonly owner: string;
  readonly fromMs: number;
  /** Infinity while it stands. */
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  /** Who took or removed it. */
  readonly by?: string | undefined;
}

const ORDER: readonly Actor['kind'][] = ['client', 'node', 'resource'];

/** All that have a lane: the actors of the scene, and whoever else appears in its history. */
export function lanesOf({ actors, history }: Scene): readonly Actor[] {
  const lanes = new Map(actors.map((actor) => [actor.id, actor]));
  for (const event of history) {
    add(lanes, event.client, 'client');
    if (event.type === 'write') add(lanes, event.resource, 'resource');
  }
  return [...lanes.values()].toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

function add(lanes: Map<string, Actor>, id: string, kind: Actor['kind']): void {
  if (!lanes.has(id)) lanes.set(id, { id, kind, clock: [] });
}
