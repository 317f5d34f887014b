/** One process of clients, as a service would be: it opens locks, works under them, and is struck by faults. */

import type { Locks } from '@holdfast/core';
import { EventLog, ResourceClient } from '@holdfast/processes';
import { contendedCount, uncontendedMs } from '../compare/cost.ts';
import { resolveSource } from '../config/source.ts';
import { openResolved } from '../open-locks.ts';
import type { FromWorker, Opening, Task, ToWorker } from './messages.ts';
import { runWork } from './workload.ts';

const [name = '', logPath = '', resourcePort = ''] = process.argv.slice(2);
const columns = new Map<string, Locks | undefined>();
const lingering = new Map<string, () => void>();
const around = {
  name,
  log: new EventLog(logPath),
  resource: new ResourceClient(Number(resourcePort)),
  linger: (key: string) =>
    new Promise<void>((proceed) => {
      lingering.set(key, proceed);
      tell({ kind: 'inside', key });
    }),
};

function tell(message: FromWorker): void {
  process.send?.(message);
}

async function openColumn({ source, override }: Opening): Promise<Locks> {
  const { config, folder } = await resolveSource(source);
  return await openResolved({ config: { ...config, ...override }, folder }, { label: name });
}

async function perform(task: Task): Promise<readonly number[]> {
  if (task.kind === 'open') {
    const { column, opening } = task;
    columns.set(column, opening === null ? undefined : await openColumn(opening));
    return [];
  }
  const locks = columns.get(task.column);
  if (task.kind === 'work') {
    await runWork(task.work, locks, around);
    return [];
  }
  if (locks === undefined) throw new Error(`there are no locks in column ${task.column}`);
  if (task.kind === 'uncontended') return await uncontendedMs(locks, task.key, task.rounds);
  return [await contendedCount(locks, task.key, task.waiters, task.spanMs)];
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'proceed') {
    lingering.get(message.key)?.();
    return;
  }
  const { id, task } = message;
  perform(task).then(
    (figures) => tell({ kind: 'done', id, figures }),
    (error: unknown) => {
      tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
    },
  );
});
// Whoever started us is gone; nobody reads what we find out.
process.on('disconnect', () => process.exit());
