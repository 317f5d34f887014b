import type { FaultId, HistoryEvent, PropertyId, Verdict } from '@holdfast/core/backend';
import type { OutcomeId } from './notation.ts';

/**
 * The data of a drawing, from a simulation or from a real run; the drawing cannot tell which. All times are in ms on the
 * judge's clock, as in the history.
 */
export interface Scene {
  /** For example `redis-simple, fault failover`. */
  readonly title: string;
  /** The property that the story and its headline are about. */
  readonly property: PropertyId | 'liveness';
  readonly verdicts: readonly Verdict[];
  /** Failures other than mutual exclusion: an endless wait, a leftover timer. One sentence each. */
  readonly complaints?: readonly string[];
  readonly history: readonly HistoryEvent[];
  /** In the order of their lanes: clients, nodes, resources. */
  readonly actors: readonly Actor[];
  readonly messages: readonly Message[];
  readonly faults: readonly SceneFault[];
  readonly serverState: readonly StoredHolder[];
  /** The reason why a run without violations proves nothing, as a clause: a fault that did not take effect. */
  readonly unproved?: string | undefined;
  /** A known worse outcome of the lock, and its text. */
  readonly remark?: { readonly outcome: OutcomeId; readonly text: string } | undefined;
}

export interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'node' | 'resource';
  /** The readings of its wall clock, in order of time; empty if its clock is not used. */
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
  /** Null if it never arrived. */
  readonly arrivedMs: number | null;
  /** The request or the reply, in a few words. */
  readonly detail?: string | undefined;
}

export interface SceneFault {
  readonly kind: FaultId;
  /** The actors that it affected. */
  readonly actors: readonly string[];
  readonly atMs: number;
  /** Its end; absent for a fault without duration. */
  readonly untilMs?: number | undefined;
  /** The event without a subject: `is paused for 1200 ms`. */
  readonly text: string;
  /** The reason for the harm: a clause that is true in every minimal story with this fault. */
  readonly reason?: string | undefined;
}

/** A span in which a node stored a holder of a key. */
export interface StoredHolder {
  readonly node: string;
  readonly key: string;
  /** The client's id if it is known, else the stored value. */
  readonly owner: string;
  readonly fromMs: number;
  /** Infinity if it is still stored. */
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  /** The client that took or removed it. */
  readonly by?: string | undefined;
}

const ORDER: readonly Actor['kind'][] = ['client', 'node', 'resource'];

/** All actors with a lane: those of the scene, and others that appear in its history. */
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
