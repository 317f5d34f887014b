import type { Lease, Locks } from '@holdfast/core';
import { parseOwner } from '@holdfast/core/backend';
import { hostMs } from '../../../../../harness/test/kit/real-servers.ts';
import { ask, tell } from '../../../../support/parent.ts';
import { anyOf, workFor } from '../store-chaos.ts';
import { OPEN, type StoreName } from './stores.ts';
import { PERMITS, WAYS, type Way } from './ways.ts';

/** A client in a process of its own. Arguments: its name, the store, and the addresses of the servers. */
const [name = '', store = '', ...addresses] = process.argv.slice(2);
const AT_ONCE = 2;
const WAIT_MS = 2_000;

type Held = Pick<Lease, 'remainingMs' | 'release' | 'fencingToken' | 'owner'>;

let holds = 0;

function request(locks: Locks, way: Way): Promise<Held> {
  const options = { waitMs: WAIT_MS };
  if (typeof way === 'number') return locks.semaphore('s', PERMITS).acquire(way, options);
  return way === 'read' ? locks.read('k').acquire(options) : locks.write('k').acquire(options);
}

/** It holds, reads, works, writes if it still holds, leaves and releases. */
async function turn(locks: Locks): Promise<void> {
  const way = anyOf(WAYS);
  const lease = await request(locks, way).catch(() => undefined);
  if (lease === undefined) return;
  const hold = `${name}/${process.pid}/${++holds}`;
  const fromMs = hostMs();
  const untilMs = fromMs + lease.remainingMs();
  const token = String(lease.fencingToken ?? 0n);
  await ask('enter', hold, JSON.stringify({ client: name, way, fromMs, untilMs }), token);
  const unlisten = tellRenewals(locks, lease, hold);
  await workFor();
  unlisten();
  if (way === 'write' && lease.remainingMs() > 0) await ask('write', hold, token);
  const atMs = hostMs();
  await ask('leave', hold, JSON.stringify({ atMs, untilMs: atMs + lease.remainingMs() }));
  await lease.release();
}

/** The resource has to know how long each hold was valid, even if its client dies, or loses it later. */
function tellRenewals(locks: Locks, lease: Held, hold: string): () => void {
  const contender = parseOwner(lease.owner)?.contender;
  return locks.on('renewed', (event) => {
    if (event.contender !== contender) return;
    // The clock first: a delay between the two makes the claim shorter, never longer.
    const atMs = hostMs();
    void ask('renewed', hold, String(atMs + lease.remainingMs()));
  });
}

async function turns(locks: Locks): Promise<never> {
  for (;;) await turn(locks);
}

function isStore(text: string): text is StoreName {
  return Object.hasOwn(OPEN, text);
}

if (!isStore(store)) throw new Error(`unknown store: ${store}`);
const locks = await OPEN[store](addresses);
tell('open');
await Promise.all(Array.from({ length: AT_ONCE }, () => turns(locks)));
