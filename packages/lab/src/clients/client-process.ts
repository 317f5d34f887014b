/** One process of a service: it opens its locks for a trial, works under them, and is struck by faults. */
import type { Locks } from '@holdfast/core';
import { EventLog, ResourceClient } from '@holdfast/processes';
import { Contending } from './contending.ts';
import type { FromClient, Sample, Task, ToClient, Work } from './messages.ts';
import { openLocksOf } from './open-backend.ts';
import { probe } from './probing.ts';

const [name = '', logPath = '', resourcePort = ''] = process.argv.slice(2);
/** Closing waits for the answers of servers that may never come. */
const CLOSE_MS = 1_000;

let proceed: () => void = () => undefined;
const around = {
  name,
  log: new EventLog(logPath),
  resource: new ResourceClient(Number(resourcePort)),
  linger: () => {
    tell({ kind: 'inside' });
    return untilTold(ending.signal);
  },
  tell: (kind: 'waiting' | 'granted' | 'renewed') => tell({ kind }),
};

let locks: Locks | undefined;
let ending = new AbortController();
let contending: Promise<void> = Promise.resolve();
let probing: Promise<readonly Sample[]> = Promise.resolve([]);

function tell(message: FromClient): void {
  process.send?.(message);
}

function tellProbed(): void {
  tell({ kind: 'probed' });
}

function begin(work: Work): void {
  ending = new AbortController();
  const { signal } = ending;
  contending = contend(work, signal);
  probing =
    locks === undefined ? Promise.resolve([]) : probe(work, locks, { signal, granted: tellProbed });
  // What goes wrong is told when it is finished.
  contending.catch(() => undefined);
  probing.catch(() => undefined);
}

async function contend(work: Work, signal: AbortSignal): Promise<void> {
  if (work.joinsLate) await untilTold(signal);
  await new Contending(work, around).run(locks, signal);
}

/** Until told to proceed, or until it is over anyway. */
function untilTold(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    proceed = resolve;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

async function finish(): Promise<readonly Sample[]> {
  ending.abort();
  await contending;
  const samples = await probing;
  await locks?.close({ timeoutMs: CLOSE_MS });
  locks = undefined;
  return samples;
}

/** Nothing else runs meanwhile, not even a timer. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function perform(task: Task): Promise<readonly Sample[]> {
  if (task.kind === 'finish') return await finish();
  if (task.kind === 'open') locks = await openLocksOf(task.opening, name);
  else begin(task.work);
  return [];
}

process.on('message', (message: ToClient) => {
  if (message.kind === 'proceed') return proceed();
  if (message.kind === 'block') return block(message.ms);
  const { id, task } = message;
  perform(task).then(
    (samples) => tell({ kind: 'done', id, samples }),
    (error: unknown) => {
      tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    },
  );
});
// Whoever started us is gone; nobody reads what we find out.
process.on('disconnect', () => process.exit());
