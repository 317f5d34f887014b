import type { HistoryEvent } from '@holdfast/core/backend';
import { type Claims, claimsOf } from './conflict.ts';
import { type Colour, RAILS } from './notation.ts';
import type { Actor, Scene } from './scene.ts';

/** One character for one actor in one line of a timeline. */
export interface Rail {
  readonly glyph: string;
  readonly colour?: Colour;
}

/** Computes the state of every actor at a moment. */
export class Rails {
  readonly #scene: Scene;
  readonly #claims: Claims;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#claims = claimsOf(scene);
  }

  at(actor: Actor, atMs: number): Rail {
    if (actor.kind === 'node') return this.#node(actor.id, atMs);
    return actor.kind === 'client' ? this.#client(actor.id, atMs) : { glyph: RAILS.nothing };
  }

  /** The kind of the conflict at a moment, `broken` before `late`; undefined without one. */
  conflictAt(atMs: number): 'broken' | 'late' | undefined {
    const now = this.#claims.conflicts.filter(
      ({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs,
    );
    return now.some(({ kind }) => kind === 'broken') ? 'broken' : now[0]?.kind;
  }

  #client(id: string, atMs: number): Rail {
    const { valid, believed } = this.#claims;
    const covers = ({ client, fromMs, untilMs }: Claims['valid'][number]): boolean =>
      client === id && fromMs <= atMs && atMs < untilMs;
    const events = this.#scene.history.filter((event) => event.client === id && event.atMs <= atMs);
    if (events.some(({ type }) => type === 'crashed')) return { glyph: RAILS.dead, colour: 'gray' };
    if (valid.some(covers))
      return { glyph: RAILS.valid, colour: this.#alarm(atMs, 'broken') ?? 'green' };
    if (believed.some(covers))
      return { glyph: RAILS.late, colour: this.#alarm(atMs, 'late') ?? 'yellow' };
    return isWaiting(events) ? { glyph: RAILS.waits, colour: 'gray' } : { glyph: RAILS.idle };
  }

  #alarm(atMs: number, kind: 'broken' | 'late'): Colour | undefined {
    return this.conflictAt(atMs) === kind && kind === 'broken' ? 'red' : undefined;
  }

  /** The holder in the data of this node; nothing for a node that stores no keys. */
  #node(id: string, atMs: number): Rail {
    const holds = this.#scene.serverState.filter(({ node }) => node === id);
    if (holds.length === 0) return { glyph: RAILS.nothing };
    const hold = holds.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    return hold === undefined ? { glyph: RAILS.free, colour: 'gray' } : { glyph: hold.owner };
  }
}

/** True if a client has requested a key and has no grant or refusal yet. */
function isWaiting(events: readonly HistoryEvent[]): boolean {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'acquire') open.add(event.hold);
    if (event.type === 'granted' || event.type === 'denied') open.delete(event.hold);
  }
  return open.size > 0;
}
