import type { HistoryEvent } from '@holdfast/core/backend';
import type { Driver } from '../driver.ts';
import { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../errors.ts';
import { ScriptedChooser } from '../exhaustive/choice.ts';
import { steer } from '../exhaustive/steer.ts';
import type { TraceRecord } from '../trace.ts';
import type { KeyChange } from './cluster.ts';
import { HandoverMonitor } from './handover-monitor.ts';
import { type ServerHold, serverHoldsOf } from './holds.ts';
import type { Injection } from './injections.ts';
import { type KeyFreed, WatchedQueue } from './key-freed.ts';
import { checkLiveness } from './liveness-check.ts';
import { Run, type RunParts } from './run.ts';
import {
  type HoldRecord,
  holdRecordsIn,
  type QueueTicket,
  queueTicketsOf,
  type RefusalRecord,
  refusalRecordsOf,
} from './run-records.ts';
import { clientsOf, type Repointing, type Schedule } from './schedule.ts';
import { ScheduledClient } from './scheduled-client.ts';
import { type Sometimes, seenIn } from './sometimes.ts';
import type { Subject } from './subject.ts';

export interface PlayOptions {
  /** True to keep the trace and its hash; a search keeps none and is twice as fast. Off by default. */
  readonly trace?: boolean;
  /** True to make real clocks, timers and random sources throw meanwhile. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
  /** True to record when the servers could grant each hold to another client, and to wait for that. Off by default. */
  readonly recordsKeyFreed?: boolean;
  /** More events than any run that ends has; 50 000 by default. */
  readonly maxEvents?: number;
}

/** The result of a run. */
export interface PlayResult {
  readonly schedule: Schedule;
  readonly subject: string;
  readonly history: readonly HistoryEvent[];
  /**
   * Violations that a history cannot show: endless waits, timers and renewals that outlive a lease, unhandled
   * rejections.
   */
  readonly complaints: readonly string[];
  /** Changes of other clients' holds by renewals, releases and undos, on the Redis nodes. */
  readonly touches: readonly KeyChange[];
  /** The servers' own records of every granted hold; absent if the lock uses no known servers. */
  readonly records?: readonly HoldRecord[];
  /** Records of every refused acquisition, in a schedule in which a client gives up; empty in others. */
  readonly refusals?: readonly RefusalRecord[];
  /**
   * The real clock or other ambient function that the lock used under the guard; then the rest of the result proves
   * nothing about the lock.
   */
  readonly ambient?: string;
  /**
   * The times at which the servers could have granted each hold to another client, in order; absent without
   * `recordsKeyFreed`.
   */
  readonly keyFreed?: readonly KeyFreed[];
  /** The position of each holder in the queue; absent if the lock has no queue that could be read. */
  readonly queueTickets?: readonly QueueTicket[];
  /** The holder that every server saw, one after the other; empty without `trace`. */
  readonly serverHolds: readonly ServerHold[];
  readonly injections: readonly Injection[];
  /** True if a fault took effect while one client held and another waited; without faults, if that was ever so. */
  readonly effective: boolean;
  /** Operations of clients that lived, and the number of those that completed their writes. */
  readonly ops: number;
  readonly accepted: number;
  /** Rare states that were reached. Some schedules have to reach each of them, or the search proves nothing. */
  readonly sometimes: ReadonlySet<Sometimes>;
  /** Empty without `trace`. */
  readonly trace: readonly TraceRecord[];
  readonly hash: string | undefined;
}

const EVENTS_MAX = 50_000;
/** Ten minutes: ten times the longest wait. */
const VIRTUAL_MS_MAX = 600_000;

/**
 * Plays a schedule on a lock, in a world of its own. Never rejects for anything that the lock does: violations
 * besides the history are among the complaints.
 */
export async function play(
  parts: RunParts,
  schedule: Schedule,
  subject: Subject,
  {
    trace = false,
    guard = false,
    maxEvents = EVENTS_MAX,
    driver,
    recordsKeyFreed = false,
  }: PlayOptions = {},
): Promise<PlayResult> {
  if (schedule.choices !== undefined) {
    const script = new ScriptedChooser(schedule.choices);
    const options = { trace, guard, driver };
    return (await steer(parts.clusterOf, schedule, subject, script, options)).played;
  }
  const queue = recordsKeyFreed ? new WatchedQueue() : undefined;
  const maxVirtualMs = VIRTUAL_MS_MAX;
  const limits = { maxEvents, maxVirtualMs, trace, guard, queue, driver };
  const run = new Run(schedule, subject, parts, limits);
  if (queue !== undefined) queue.onNext = run.recordKeyFreed();
  try {
    await run.world.run(() => perform(run));
  } catch (error) {
    run.reportViolation(failureMessage(error, run));
    if (error instanceof SimAmbientError) return { ...outcome(run, trace), ambient: error.message };
  }
  return outcome(run, trace);
}

async function perform(run: Run): Promise<void> {
  const { schedule, clients, faults } = run;
  for (const id of clientsOf(schedule)) clients.set(id, new ScheduledClient(id, run));
  const early = [...clients.values()].filter(({ isNewcomer }) => !isNewcomer);
  await Promise.all(early.map((client) => client.open()));
  run.fromMs = run.world.nowMs;
  if (schedule.newcomers === undefined) run.handoverMonitor = new HandoverMonitor(run);
  for (const [index, fault] of schedule.faults.entries())
    faults.get(fault.kind).arm(run, fault, index);
  for (const op of schedule.ops) clients.get(op.client)?.start(op);
  for (const { client, atMs } of schedule.closings ?? [])
    run.atScheduleTime(atMs, () => clients.get(client)?.shutDown());
  for (const { client, atMs } of schedule.collections ?? [])
    run.atScheduleTime(atMs, () => clients.get(client)?.collect());
  for (const each of schedule.repointings ?? [])
    run.atScheduleTime(each.atMs, () => repoint(run, each));
  if (schedule.aftermath === undefined) await run.allDone;
  else await checkLiveness(run, schedule.aftermath);
  while (run.keyFreed?.isOver === false) await run.world.advance(schedule.ttlMs);
}

/** Describes the end of a run that did not end by itself. */
function failureMessage(error: unknown, { clients }: Run): string {
  if (error instanceof SimStuckError) {
    const waiting = [...clients.values()].filter(({ isDone }) => !isDone).map(({ id }) => id);
    return `an operation of ${waiting.join(', ')} never ended`;
  }
  if (error instanceof SimLimitError) return `it never comes to an end: ${error.message}`;
  if (error instanceof SimUnhandledError || error instanceof SimAmbientError) return error.message;
  return `the lock threw: ${error instanceof Error ? error.message : String(error)}`;
}

function outcome(run: Run, isTraced: boolean): PlayResult {
  const { world, schedule, subject, injections, violations } = run;
  const clients = [...run.clients.values()].filter(({ isAlive }) => isAlive);
  const history = run.recorder.history();
  const { cluster } = run;
  const { touches, hasLostUnreplicated } = cluster.observed();
  return {
    schedule,
    subject: subject.name,
    history,
    complaints: violations,
    touches,
    records: holdRecordsIn(run),
    refusals: refusalRecordsOf(run),
    ...(run.keyFreed === undefined ? {} : { keyFreed: run.keyFreed.all }),
    ...(cluster.hasQueue || subject.waiterOf !== undefined
      ? { queueTickets: queueTicketsOf(run) }
      : {}),
    serverHolds: serverHoldsOf(cluster, history),
    injections: injections.all,
    effective:
      schedule.faults.length === 0 ? run.sometimes.has('contended acquire') : injections.effective,
    ops: sum(clients.map(({ ops }) => ops)),
    accepted: sum(clients.map(({ accepted }) => accepted)),
    sometimes: new Set([
      ...run.sometimes,
      ...(hasLostUnreplicated ? (['an unreplicated lock was lost'] as const) : []),
      ...seenIn(history),
    ]),
    trace: isTraced ? world.trace.records : [],
    hash: isTraced ? world.trace.hash() : undefined,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Makes addresses lead to the server of another node for a while. */
function repoint(run: Run, { nodes, to, ms }: Repointing): void {
  const { cluster, world } = run;
  if (run.areFaultsOver || cluster.repoint?.(nodes, ms, to) !== true) return;
  // Connections are reset and nodes re-examined meanwhile, so handovers have no bound.
  run.handoverMonitor = undefined;
  run.repointedUntilMs = Math.max(run.repointedUntilMs, world.nowMs + ms);
}
