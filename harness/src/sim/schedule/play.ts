import type { HistoryEvent } from '@holdfast/core';
import type { Driver } from '../driver.ts';
import { SimAmbientError, SimLimitError, SimStuckError, SimUnhandledError } from '../errors.ts';
import { Script } from '../exhaustive/choice.ts';
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
  /** Whether to keep the trace and its hash; a search goes without, twice as fast. Off by default. */
  readonly trace?: boolean;
  /** Whether real clocks, timers and random sources throw meanwhile. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver;
  /** Whether to watch when the servers could grant each hold to another, and to wait for that. Off by default. */
  readonly recordsKeyFreed?: boolean;
  /** What nothing that ends exceeds; 50 000 by default. */
  readonly maxEvents?: number;
}

/** What a run came to. */
export interface PlayResult {
  readonly schedule: Schedule;
  readonly subject: string;
  readonly history: readonly HistoryEvent[];
  /** What a history cannot show: whoever waits for ever, timers and renewals that outlive a lease, unhandled rejections. */
  readonly complaints: readonly string[];
  /** What renewals, releases and undos did to the holds of others, on the Redis nodes. */
  readonly touches: readonly KeyChange[];
  /** What the servers' own records say of every hold that was granted; absent where a lock uses none that is known. */
  readonly records?: readonly HoldRecord[];
  /** How every acquisition went that was refused, in a schedule in which somebody gives up; empty in others. */
  readonly refusals?: readonly RefusalRecord[];
  /** What of the real world the lock reached for under the guard; then the rest says nothing about it. */
  readonly ambient?: string;
  /** When the servers could have granted each hold to another, in order; absent unless asked for. */
  readonly keyFreed?: readonly KeyFreed[];
  /** Where each holder had come to stand in the queue; absent where the lock has none that could be looked into. */
  readonly queueTickets?: readonly QueueTicket[];
  /** Whom every server took for the holder, one after the other; empty without `trace`. */
  readonly serverHolds: readonly ServerHold[];
  readonly injections: readonly Injection[];
  /** Whether a fault took effect while one client held and another waited; without faults, whether that was ever so. */
  readonly effective: boolean;
  /** Operations of clients that lived, and how many of those wrote what they had to. */
  readonly ops: number;
  readonly accepted: number;
  /** Rare states that were reached, each of which some schedules have to reach, lest they prove nothing. */
  readonly sometimes: ReadonlySet<Sometimes>;
  /** Empty without `trace`. */
  readonly trace: readonly TraceRecord[];
  readonly hash: string | undefined;
}

const EVENTS_MAX = 50_000;
/** Ten minutes: ten times as long as anybody waits. */
const VIRTUAL_MS_MAX = 600_000;

/**
 * Plays a schedule on a lock, in a world of its own. Never rejects for anything that the lock does: what went wrong
 * besides the history is among the complaints.
 */
export async function play(
  given: RunParts,
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
    const script = new Script(schedule.choices);
    const options = { trace, guard, ...(driver === undefined ? {} : { driver }) };
    return (await steer(given.clusterOf, schedule, subject, script, options)).played;
  }
  const limits = { maxEvents, maxVirtualMs: VIRTUAL_MS_MAX };
  const queue = recordsKeyFreed ? new WatchedQueue() : undefined;
  const run = new Run(schedule, subject, given, {
    trace,
    guard,
    ...limits,
    ...(queue === undefined ? {} : { queue }),
    ...(driver === undefined ? {} : { driver }),
  });
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

/** What ended a run that did not end by itself. */
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
    ...(cluster.hasQueue ? { queueTickets: queueTicketsOf(run) } : {}),
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

/** Addresses lead to the server of another node for a while. */
export function repoint(run: Run, { nodes, to, ms }: Repointing): void {
  const { cluster, world } = run;
  if (run.areFaultsOver || cluster.repoint?.(nodes, ms, to) !== true) return;
  // Nobody waits for less while connections are reset and nodes are looked at anew.
  run.handoverMonitor = undefined;
  run.repointedUntilMs = Math.max(run.repointedUntilMs, world.nowMs + ms);
}
