import Redlock from 'redlock-5';
import { ioredisClients } from '../clients.ts';
import { learnScript } from '../labels.ts';
import { type Hold, type Peer, type PeerLibrary, STILL_HELD_MS, type Want } from '../peer.ts';
import { ASK_AGAIN_MS } from '../peer-locks.ts';
import { versionOf } from '../versions.ts';

/** Names its scripts. */
export function learnRedlock(): void {
  const { scripts } = new Redlock([{}]);
  learnScript('acquire', scripts.acquireScript.value);
  learnScript('renew', scripts.extendScript.value);
  learnScript('release', scripts.releaseScript.value);
}

learnRedlock();

/** The README's own example, whose leases last 5 s, at a fifth of all its times. */
const SETTINGS = { retryDelay: 40, retryJitter: 40, automaticExtensionThreshold: 100 };

const COMMON = {
  package: 'redlock',
  version: versionOf('redlock-5'),
  client: 'ioredis',
  says: '“strong guarantees in both single-redis and multi-redis environments, and … fault tolerance through use of multiple independent redis instances”; with asynchronous replication it says itself that “it becomes theoretically possible that a lock is acquired twice”.',
  nodes: 5,
  tokens: false,
  labels: { acquire: ['acquire'], renew: ['renew'], release: ['release'] },
  // Once its retries are used up the caller tries again.
  pollMs: () => SETTINGS.retryDelay + SETTINGS.retryJitter + ASK_AGAIN_MS,
} as const;

export const REDLOCK_USING: PeerLibrary = {
  ...COMMON,
  name: 'redlock 5, using',
  usage:
    '`new Redlock(clients, settings)` with the settings of the README’s example at a fifth of their times, `using([key], ttl, routine)`, `signal.aborted` before the write',
  promise: 'the routine runs while the lock is held, until `signal` is aborted',
  renews: true,
  points: ['acquire', 'renew', 'release'],
  open: (hosts) => opened(hosts, using),
};

export const REDLOCK_ACQUIRE: PeerLibrary = {
  ...COMMON,
  name: 'redlock 5, acquire',
  usage:
    '`new Redlock(clients, settings)` with the settings of the README’s example at a fifth of their times, `acquire([key], ttl)`, `lock.expiration` before the write, `release()`',
  promise: '`lock.expiration`, by the caller’s wall clock',
  renews: false,
  points: ['acquire', 'release'],
  open: (hosts) => opened(hosts, acquire),
};

async function opened(
  hosts: readonly string[],
  hold: (redlock: Redlock, want: Want) => Promise<Hold>,
): Promise<Peer> {
  const clients = await ioredisClients(hosts);
  const redlock = new Redlock(clients, SETTINGS);
  return {
    acquire: (want) => hold(redlock, want),
    close: () => clients.forEach((client) => client.disconnect()),
  };
}

async function acquire(redlock: Redlock, { key, ttlMs }: Want): Promise<Hold> {
  const lock = await redlock.acquire([key], ttlMs);
  const { expiration } = lock;
  return {
    remainingMs: () => expiration - Date.now(),
    release: async () => void (await lock.release()),
  };
}

/** The routine is over when the hold is released. */
function using(redlock: Redlock, { key, ttlMs, lost }: Want): Promise<Hold> {
  return new Promise((resolve, reject) => {
    let finish = nothing;
    const done = new Promise<void>((end) => {
      finish = end;
    });
    const over = redlock.using([key], ttlMs, (signal) => {
      signal.addEventListener('abort', () => lost('signal aborted'));
      resolve({
        remainingMs: () => (signal.aborted ? 0 : STILL_HELD_MS),
        release: () => {
          finish();
          return over;
        },
      });
      return done;
    });
    over.catch(reject);
  });
}

function nothing(): void {}
