import { setTimeout as sleep } from 'node:timers/promises';
import { type Lease, type Locks } from '@holdfast/core';
import { createHost, createLocks, type HistoryEvent, parseOwner } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';
import { hostMs } from '../../harness/test/kit/real-servers.ts';
import { onMessage, tell } from '../support/parent.ts';

/**
 * A process that locks one key, and reports its lease by the clock that all processes of the machine share.
 * Arguments: its name, `host:port` of its servers, the session timeout, and the key.
 */
const [name = '', servers = '', timeout = '', key = ''] = process.argv.slice(2);
const sessionTimeoutMs = Number(timeout);

async function open(): Promise<Locks> {
  const host = createHost({ label: name });
  const backend = await openZk({ servers: servers.split(','), sessionTimeoutMs }, host);
  return createLocks(backend, host);
}

type OwnPart<E> = E extends { readonly hold: string }
  ? Omit<E, 'seq' | 'atMs' | 'client' | 'key' | 'hold'>
  : never;

function note(event: OwnPart<HistoryEvent>): void {
  tell({ event: { ...event, atMs: hostMs(), client: name, key, hold: `${name}/1` } });
}

let lease: Lease | undefined;

async function acquire(locks: Locks): Promise<void> {
  note({ type: 'acquire' });
  lease = await locks.acquire(key, { waitMs: 60_000 });
  const token = lease.fencingToken?.toString();
  note({ type: 'granted', validUntilMs: hostMs() + lease.remainingMs(), token });
  tell('granted');
}

/** Uses the session until the pause, so that all servers know when it was heard last. */
async function useAndBlock(locks: Locks, warmUpMs: number, blockMs: number): Promise<void> {
  const startMs = hostMs();
  while (hostMs() < startMs + warmUpMs) {
    await locks.use(key, () => undefined);
    await sleep(10);
  }
  // Blocks the event loop without computing.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
}

async function block(locks: Locks, [warmUpMs = 0, blockMs = 0]: readonly number[]): Promise<void> {
  await useAndBlock(locks, warmUpMs, blockMs);
  await acquire(locks);
}

/** Is paused, reads its replies when it resumes, and requests the key some time after that. */
async function late(
  locks: Locks,
  [warmUpMs = 0, blockMs = 0, waitMs = 0]: readonly number[],
): Promise<void> {
  await useAndBlock(locks, warmUpMs, blockMs);
  await locks.health();
  tell('awake');
  await sleep(waitMs);
  tell('asking');
  await acquire(locks);
}

const locks = await open();
locks.on('renewed', ({ contender, remainingMs }) => {
  if (lease === undefined || parseOwner(lease.owner)?.contender !== contender) return;
  note({ type: 'renewed', validUntilMs: hostMs() + remainingMs });
  tell('renewed');
});
locks.on('lost', ({ contender, reason }) => {
  if (lease === undefined || parseOwner(lease.owner)?.contender !== contender) return;
  note({ type: 'lost', reason });
  tell('lost');
});
onMessage((message) => {
  const [word, ...ms] = message.split(' ');
  const numbers = ms.map(Number);
  const done =
    word === 'late'
      ? late(locks, numbers)
      : word === 'block'
        ? block(locks, numbers)
        : acquire(locks);
  done.catch((error: unknown) => tell(`failed: ${String(error)}`));
});
tell('open');
