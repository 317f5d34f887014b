import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Program } from './program.ts';
import type { ServerSession } from './session.ts';
import type { Transaction } from './transaction-log.ts';

/** The name under which the leader's record is stored. */
export const LEADER = 'leader';

/** A contender's node: container, contender, perhaps a mode behind `:`, and sequence number. Numbers sort as texts. */
const QUEUE_NODE = /^(.*)\/([^/:]*)(?::[^/]*)?-lock-(\d{10})$/;

interface QueueNode {
  readonly path: string;
  readonly contender: string;
  readonly number: string;
  readonly session: ServerSession | undefined;
}

/**
 * Records the first node of each queue by what the leader has applied, and the time until which the leader keeps its
 * session alive. If several servers believe they lead, the one elected last counts.
 */
export class LeaderHolds {
  readonly #holds: HoldLog;
  readonly #queues = new Map<string, Map<string, QueueNode>>();
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

  /** A leading server keeps a session alive until its monotonic clock shows `expiresUs`. */
  tracked(program: Program, session: ServerSession, expiresUs: number): void {
    if (program !== this.#leader) return;
    const { clock, kernel } = program.machine;
    this.#untilMs.set(session, clock.whenMonotonic(expiresUs, kernel.nowUs) / 1000);
    for (const [container, queue] of this.#queues)
      if (frontOf(queue)?.session === session) this.#recordFront(container);
  }

  /** This server leads from now on; the record restarts from its state. */
  leads(program: Program): void {
    this.#leader = program;
    this.#untilMs.clear();
    for (const queue of this.#queues.values()) queue.clear();
    for (const [path, { owner }] of program.tree.nodes) this.#enter(path, owner);
    for (const container of this.#queues.keys()) this.#recordFront(container);
  }

  #enter(path: string, session: ServerSession | undefined): void {
    const [, container = '', contender = '', number = ''] = QUEUE_NODE.exec(path) ?? [];
    if (number === '') return;
    const queue = this.#queues.get(container) ?? new Map<string, QueueNode>();
    this.#queues.set(container, queue.set(path, { path, contender, number, session }));
    this.#recordFront(container);
  }

  #leave(path: string, isOwn: boolean): void {
    const container = path.slice(0, path.lastIndexOf('/'));
    if (this.#queues.get(container)?.delete(path) === true) this.#recordFront(container, isOwn);
  }

  #recordFront(container: string, isOwn = false): void {
    const front = frontOf(this.#queues.get(container) ?? new Map<string, QueueNode>());
    const untilMs = this.#untilOf(front?.session);
    this.#holds.note(LEADER, container, front?.contender, untilMs, isOwn);
  }

  #untilOf(session: ServerSession | undefined): number {
    const known = session === undefined ? undefined : this.#untilMs.get(session);
    return known ?? Number.POSITIVE_INFINITY;
  }
}

function frontOf(queue: ReadonlyMap<string, QueueNode>): QueueNode | undefined {
  let front: QueueNode | undefined;
  for (const node of queue.values())
    if (front === undefined || node.number < front.number) front = node;
  return front;
}
