import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Program } from './program.ts';
import type { ServerSession } from './session.ts';
import type { Transaction } from './transaction-log.ts';

/** The name under which the record of whoever leads is kept. */
export const LEADER = 'leader';

/** A contender's node: its container, the contender, and its number, whose order is that of texts. */
const PLACE = /^(.*)\/([^/]*)-lock-(\d{10})$/;

interface Place {
  readonly path: string;
  readonly contender: string;
  readonly number: string;
  readonly session: ServerSession | undefined;
}

/**
 * Writes down who stands first in each queue by what the leader has applied, and until when the leader lets the session
 * live. Of several that believe they lead the one counts that was elected last.
 */
export class LeaderHolds {
  readonly #holds: HoldLog;
  readonly #queues = new Map<string, Map<string, Place>>();
  readonly #untilMs = new Map<ServerSession, number>();
  #leader: Program | undefined;

  constructor(holds: HoldLog) {
    this.#holds = holds;
  }

  /** A server has applied an entry of the log. */
  applied(program: Program, { change, waiter }: Transaction): void {
    if (program !== this.#leader) return;
    const isOwn = waiter !== undefined;
    if (change.kind === 'create') this.#enter(change.path, change.owner);
    else if (change.kind === 'delete') this.#leave(change.path, isOwn);
    else if (change.kind === 'closeSession')
      for (const path of change.paths) this.#leave(path, isOwn);
  }

  /** A server that leads lets a session live until its monotonic clock shows so much. */
  tracked(program: Program, session: ServerSession, expiresUs: number): void {
    if (program !== this.#leader) return;
    const { clock, kernel } = program.machine;
    this.#untilMs.set(session, clock.whenMonotonic(expiresUs, kernel.nowUs) / 1000);
    for (const [container, queue] of this.#queues)
      if (frontOf(queue)?.session === session) this.#look(container);
  }

  /** It leads from now on, and begins with what it has. */
  reigns(program: Program): void {
    this.#leader = program;
    this.#untilMs.clear();
    for (const queue of this.#queues.values()) queue.clear();
    for (const [path, { owner }] of program.tree.nodes) this.#enter(path, owner);
    for (const container of this.#queues.keys()) this.#look(container);
  }

  #enter(path: string, session: ServerSession | undefined): void {
    const [, container = '', contender = '', number = ''] = PLACE.exec(path) ?? [];
    if (number === '') return;
    const queue = this.#queues.get(container) ?? new Map<string, Place>();
    this.#queues.set(container, queue.set(path, { path, contender, number, session }));
    this.#look(container);
  }

  #leave(path: string, isOwn: boolean): void {
    const container = path.slice(0, path.lastIndexOf('/'));
    if (this.#queues.get(container)?.delete(path) === true) this.#look(container, isOwn);
  }

  #look(container: string, isOwn = false): void {
    const front = frontOf(this.#queues.get(container) ?? new Map<string, Place>());
    const untilMs = this.#untilOf(front?.session);
    this.#holds.note(LEADER, container, front?.contender, untilMs, isOwn);
  }

  #untilOf(session: ServerSession | undefined): number {
    const known = session === undefined ? undefined : this.#untilMs.get(session);
    return known ?? Number.POSITIVE_INFINITY;
  }
}

function frontOf(queue: ReadonlyMap<string, Place>): Place | undefined {
  let front: Place | undefined;
  for (const place of queue.values())
    if (front === undefined || place.number < front.number) front = place;
  return front;
}
