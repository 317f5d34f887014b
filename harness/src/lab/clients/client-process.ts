/** A client process: it opens its locks, works under them, and is hit by faults. */
import type { Locks } from '@holdfast/core';
import { contendedCount, uncontendedMs } from '../../compare/cost.ts';
import {
  type ClientReport,
  ContentionTask,
  type ContentionWork,
  EventLog,
  type FromClient,
  type Probing,
  probe,
  ResourceClient,
  type Sample,
  type Task,
  type TaskResult,
  type ToClient,
} from '../../real/index.ts';
import { openLocksOf } from './open-locks-of.ts';

const [name = '', logPath = '', resourcePort = ''] = process.argv.slice(2);
/** The time that closing waits for replies that may never come, in ms. */
const CLOSE_MS = 1_000;
const log = new EventLog(logPath);
const resource = new ResourceClient(Number(resourcePort));
const opened = new Map<string, Locks | undefined>();
/** Resolvers of clients that wait for the signal to proceed, by key. */
const proceedCallbacks = new Map<string, () => void>();

/** Aborted when the trial ends. */
let shutdown = new AbortController();
let contending: Promise<unknown> = Promise.resolve();
let probing: Promise<readonly Sample[]> = Promise.resolve([]);

function send(message: FromClient): void {
  process.send?.(message);
}

function startWork(work: ContentionWork & Probing, locks: Locks | undefined): void {
  shutdown = new AbortController();
  const { signal } = shutdown;
  contending = contend(work, locks, signal);
  const granted = (): void => send({ kind: 'probed', key: work.probeKey });
  probing = locks === undefined ? Promise.resolve([]) : probe(work, locks, { signal, granted });
  // Errors are reported when the trial is finished.
  contending.catch(() => undefined);
  probing.catch(() => undefined);
}

async function contend(
  work: ContentionWork,
  locks: Locks | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { key, clients, joinsLate = false } = work;
  const untilSignalled = (): Promise<void> => untilProceed(key, signal);
  if (joinsLate) await untilSignalled();
  const report = (kind: ClientReport['kind']): void => send({ kind, key });
  const each = Array.from({ length: clients ?? 1 }, async (_, index) => {
    const own = clients === undefined ? name : `${name}.${index + 1}`;
    const context = { name: own, log, resource, untilSignalled, report };
    const lingers = work.lingers && index === 0;
    await new ContentionTask({ ...work, lingers }, context).run(locks, signal);
  });
  await Promise.all(each);
}

/** Resolves on the signal to proceed, or when the trial ends. */
function untilProceed(key: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    proceedCallbacks.set(key, resolve);
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

function proceed(key: string | undefined): void {
  if (key !== undefined) proceedCallbacks.get(key)?.();
  else for (const each of proceedCallbacks.values()) each();
}

async function finish(): Promise<TaskResult> {
  shutdown.abort();
  await contending;
  const samples = await probing;
  for (const locks of opened.values()) await locks?.close({ timeoutMs: CLOSE_MS });
  opened.clear();
  proceedCallbacks.clear();
  return { samples };
}

/** Blocks the event loop: no timer runs meanwhile. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function perform(task: Task): Promise<TaskResult> {
  const { locks: column = '' } = task;
  const locks = opened.get(column);
  if (task.kind === 'open') opened.set(column, await openLocksOf(task.opening, name));
  else if (task.kind === 'begin') startWork(task.work, locks);
  else if (task.kind === 'finish') return await finish();
  else if (task.kind === 'work') await contend(task.work, locks);
  else if (locks === undefined) throw new Error(`no locks are open for column ${column}`);
  else if (task.kind === 'uncontended')
    return { figures: await uncontendedMs(locks, task.key, task.rounds) };
  else return { figures: [await contendedCount(locks, task.key, task.waiters, task.spanMs)] };
  return {};
}

process.on('message', (message: ToClient) => {
  if (message.kind === 'proceed') return proceed(message.key);
  if (message.kind === 'block') return block(message.ms);
  const { id, task } = message;
  perform(task).then(
    (found) => send({ kind: 'done', id, found }),
    (error: unknown) => {
      send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    },
  );
});
// The parent process has exited, and no one reads the results.
process.on('disconnect', () => process.exit());
