import { MARKERS } from '@holdfast/core/backend';
import type { Clock } from '../../../sim/clock.ts';
import type { SimEvent } from '../../../sim/event-queue.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { KeyChange } from '../../../sim/schedule/cluster.ts';
import type { ServerHolders } from '../../redis/simulated/holder-log.ts';
import type { RowChange } from './engine.ts';
import { type QueueParts, QueueRecords } from './queue-records.ts';
import type { RowValues } from './sql/expressions.ts';
import type { Value } from './sql/values.ts';

/** The request that led to a change. */
export interface ClientRequest {
  readonly client: string;
  /** The label of anchors and traces. */
  readonly label: string;
  readonly args: readonly Value[];
}

export interface HoldRecordsParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: HoldLog;
  /** In a traced run. */
  readonly holders: ServerHolders | undefined;
  readonly touches: TouchWatch;
  /** Present if the places of waiters are recorded. */
  readonly queue: QueueParts | undefined;
}

/** Who holds a key until when, according to a row; undefined if nobody does. */
interface RowHold {
  readonly owner: string;
  readonly untilUs: number;
}

/** Records what a primary stores of the locks: rows with an owner and an expiry. Changes nothing. */
export class HoldRecords {
  readonly #name: string;
  readonly #parts: HoldRecordsParts;
  readonly #queue: QueueRecords | undefined;
  readonly #expiries = new Map<string, SimEvent>();

  constructor(name: string, parts: HoldRecordsParts) {
    this.#name = name;
    this.#parts = parts;
    this.#queue = parts.queue && new QueueRecords(parts.queue);
  }

  /** A request's changes are visible from now on. */
  changed(changes: readonly RowChange[], request: ClientRequest): void {
    const { log, kernel, clock, touches } = this.#parts;
    log.request = request;
    for (const change of changes) {
      this.#queue?.changed(change);
      if (!isLock(change.after ?? change.before)) continue;
      touches.changed({ ...change, node: this.#name, nowUs: clock.wallUs(kernel.nowUs) }, request);
      this.#note(change);
      this.#trace(change);
    }
    log.request = undefined;
    this.#queue?.executed(this.#name);
  }

  /** A lock of a session, which has no expiry; undefined: it is free. */
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void {
    const { log, holders } = this.#parts;
    const id = advisoryId(key);
    log.note(
      this.#name,
      id,
      owner,
      owner === undefined ? undefined : Number.POSITIVE_INFINITY,
      isOfHolder,
    );
    holders?.wrote(owner === undefined ? ['DEL', id] : ['SET', id, owner]);
  }

  /** All that is stored, after a restart or another change of what counts, with the locks of sessions that are held. */
  all(rows: readonly RowChange[], advisory: readonly string[]): void {
    const locks = rows.filter(({ after }) => isLock(after));
    for (const row of locks) this.#note(row);
    const kept = [...locks.map(({ id }) => id), ...advisory.map(advisoryId)];
    this.#parts.log.keepOnly(this.#name, new Set(kept));
    this.#queue?.all(this.#name, rows);
    this.#loaded(locks);
  }

  /** The server crashed, with its data or without. */
  died(): void {
    this.clear();
    this.#parts.holders?.died();
  }

  /** Nothing that is stored grants a lock any more. */
  clear(): void {
    this.#parts.log.keepOnly(this.#name, new Set());
    for (const event of this.#expiries.values()) event.cancelled = true;
    this.#expiries.clear();
  }

  promoted(): void {
    this.#parts.log.promoted.add(this.#name);
  }

  #note({ id, after }: RowChange): void {
    const { log, clock, kernel } = this.#parts;
    const hold = holdIn(after);
    const untilMs = hold && clock.whenWall(hold.untilUs, kernel.nowUs) / 1_000;
    log.note(this.#name, id, hold?.owner, untilMs);
    this.#expireAt(id, hold);
  }

  /** For lanes of drawings: an expiry is no event of the server. */
  #expireAt(id: string, hold: RowHold | undefined): void {
    const { kernel, clock, holders } = this.#parts;
    if (holders === undefined) return;
    const before = this.#expiries.get(id);
    if (before !== undefined) before.cancelled = true;
    if (hold === undefined) return void this.#expiries.delete(id);
    const expire = (): boolean => {
      kernel.record(this.#name, 'expire', id);
      holders.expired(id);
      return false;
    };
    this.#expiries.set(id, kernel.schedule(clock.whenWall(hold.untilUs, kernel.nowUs), expire));
  }

  #loaded(locks: readonly RowChange[]): void {
    const { holders, touches } = this.#parts;
    if (holders === undefined) return;
    const holds = locks.flatMap(({ id, after }) => {
      const hold = holdIn(after);
      return hold === undefined ? [] : [{ id, ...hold }];
    });
    const entries = holds.map(({ id, owner, untilUs }) => [id, owner, untilUs / 1_000] as const);
    holders.loaded(
      { entries },
      new Map(holds.map(({ id, owner }) => [id, touches.writerOf(owner)])),
    );
  }

  #trace({ id, before, after }: RowChange): void {
    const hold = holdIn(after);
    // Readers that wait.
    if (hold === undefined && holdIn(before) === undefined && id.split('\n').length > 2) return;
    this.#parts.holders?.wrote(hold === undefined ? ['DEL', id] : ['SET', id, hold.owner]);
  }
}

function advisoryId(key: string): string {
  return `advisory\n${key}`;
}

function isLock(row: RowValues | undefined): boolean {
  return row !== undefined && 'owner' in row && 'expires_at' in row;
}

/** Beside the rows of several holders, which count. */
const markers: ReadonlySet<unknown> = new Set(Object.values(MARKERS));

function holdIn(row: RowValues | undefined): RowHold | undefined {
  const { owner, expires_at: untilUs } = row ?? {};
  if (markers.has(owner)) return undefined;
  if (typeof owner !== 'string' || typeof untilUs !== 'number') return undefined;
  return { owner, untilUs };
}

export interface TouchWatchOptions {
  /** Requests with these labels are sent for one hold only, and must leave all others unchanged. */
  readonly labels: readonly string[];
  readonly nowMs: () => number;
}

/** Watches that a request for one hold changes that hold only. */
export class TouchWatch {
  readonly all: KeyChange[] = [];
  readonly #labels: ReadonlySet<string>;
  readonly #nowMs: () => number;
  /** By owner value. */
  readonly #writers = new Map<string, string>();

  constructor({ labels, nowMs }: TouchWatchOptions) {
    this.#labels = new Set(labels);
    this.#nowMs = nowMs;
  }

  /** Returns the client that stored an owner value first. */
  writerOf(owner: string): string {
    return this.#writers.get(owner) ?? 'another client';
  }

  changed(
    {
      id,
      before,
      after,
      node,
      nowUs,
    }: RowChange & { readonly node: string; readonly nowUs: number },
    { client, label, args }: ClientRequest,
  ): void {
    const [was, is] = [holdIn(before), holdIn(after)];
    if (is !== undefined && !this.#writers.has(is.owner)) this.#writers.set(is.owner, client);
    if (was === undefined || was.untilUs <= nowUs || !this.#labels.has(label)) return;
    const how = changeOf(was, is);
    const of = this.writerOf(was.owner);
    if (
      how === undefined ||
      (isOwn(this.#writers.get(was.owner), client) && args.some((arg) => names(arg, was.owner)))
    )
      return;
    this.all.push({ atMs: this.#nowMs(), client, label, node, key: id, how, of });
  }
}

/** True for an owner value, or several with tabs between. */
function names(arg: Value, owner: string): boolean {
  return typeof arg === 'string' && arg.split('\t').includes(owner);
}

/** A server that crashed during a commit recovers a value whose writer nobody has seen. */
function isOwn(writer: string | undefined, client: string): boolean {
  return writer === undefined || writer === client;
}

function changeOf(was: RowHold, is: RowHold | undefined): KeyChange['how'] | undefined {
  if (is === undefined) return 'deleted';
  if (is.owner !== was.owner) return 'overwritten';
  if (is.untilUs === was.untilUs) return undefined;
  return is.untilUs > was.untilUs ? 'prolonged' : 'shortened';
}
