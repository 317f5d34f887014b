import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutable } from './mutant.ts';

/** Of the workspace; looked for, because processes run what was bundled to another place. */
export const ROOT: string = rootAbove(fileURLToPath(import.meta.url));

function rootAbove(path: string): string {
  const folder = dirname(path);
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  if (folder === path) throw new Error('there is no workspace above');
  return rootAbove(folder);
}

/**
 * The sources that are changed: all of every recipe that decides anything, the part of `redis` that recipes share, and
 * core's logic of leases and waiting. Left out are types, lists of names, generated files, and connections.
 */
export const FILES: Readonly<Record<Mutable, readonly string[]>> = {
  redis: [
    'recipe/backend.ts',
    'recipe/opening.ts',
    'recipe/operator.ts',
    'recipe/lock-errors.ts',
    'recipe/wake-up.ts',
    'recipe/lifetime.ts',
    'recipe/pending-releases.ts',
    'recipe/unresolved-attempts.ts',
    'recipe/key-prefix.ts',
  ],
  'redis-simple': [
    'scripts.ts',
    'contender.ts',
    'grant.ts',
    'store.ts',
    'operator.ts',
    'open.ts',
    'identity.ts',
  ],
  redlock: [
    'scripts.ts',
    'validity.ts',
    'redlock.ts',
    'count.ts',
    'vote.ts',
    'node-vote.ts',
    'node-calls.ts',
    'grant.ts',
    'healing.ts',
    'store.ts',
    'operator.ts',
    'node-registry.ts',
    'independent-nodes.ts',
    'open.ts',
    'identity.ts',
  ],
  core: [
    'validity.ts',
    'lease-clock.ts',
    'lease-controller.ts',
    'watchdog.ts',
    'lease-reference.ts',
    'renewer.ts',
    'requested-renewal.ts',
    'key-release.ts',
    'wait-loop.ts',
    'wait-pauses.ts',
    'attempt-log.ts',
    'wakeable-sleep.ts',
    'lease.ts',
    'retained-key.ts',
    'deadline-heap.ts',
    'local-queue.ts',
    'acquisition.ts',
    'acquirer.ts',
    'lease-request.ts',
    'locks.ts',
    'lock-calls.ts',
    'bound-lock.ts',
    'error-messages.ts',
    'owner.ts',
    'exported-lease.ts',
    'background.ts',
    'abort-signals.ts',
    'memory/store.ts',
    'memory/contender.ts',
    'memory/grant.ts',
    'memory/client.ts',
    'memory/backend.ts',
  ],
  zk: [
    'proof-of-life.ts',
    'session-prover.ts',
    'queue.ts',
    'contender.ts',
    'queue-entry.ts',
    'position-finder.ts',
    'queue-wait.ts',
    'container.ts',
    'request-window.ts',
    'grant.ts',
    'heartbeat.ts',
    'session-handle.ts',
    'sessions.ts',
    'node-deleter.ts',
    'replacement-session.ts',
    'deadline.ts',
    'failures.ts',
    'keys.ts',
    'roots.ts',
    'store.ts',
    'backend.ts',
    'operator.ts',
    'open.ts',
    'identity.ts',
  ],
  'redis-getset': [
    'stamp.ts',
    'contender.ts',
    'grant.ts',
    'store.ts',
    'operator.ts',
    'open.ts',
    'identity.ts',
  ],
};

export const PACKAGES: readonly Mutable[] = [
  'redis',
  'redis-simple',
  'redlock',
  'core',
  'zk',
  'redis-getset',
];

export function sourceOf(of: Mutable, file: string): string {
  return join(ROOT, 'packages', of, 'src', file);
}
