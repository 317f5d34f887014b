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
 * The sources that are changed: all of every recipe that decides anything, and core's logic of leases and waiting. Left
 * out are types, lists of names, what is generated, and the adapters of client libraries.
 */
export const FILES: Readonly<Record<Mutable, readonly string[]>> = {
  'redis-simple': [
    'scripts/acquire.ts',
    'scripts/release.ts',
    'scripts/renew.ts',
    'scripts/force.ts',
    'scripts/inspect.ts',
    'contender.ts',
    'grant.ts',
    'stored-hold.ts',
    'wake-up.ts',
    'replies.ts',
    'keys.ts',
    'store.ts',
    'backend.ts',
    'operator.ts',
    'open.ts',
    'identity.ts',
  ],
  redlock: [
    'scripts/acquire.ts',
    'scripts/release.ts',
    'scripts/renew.ts',
    'scripts/force.ts',
    'scripts/inspect.ts',
    'scripts/introduce.ts',
    'validity.ts',
    'redlock.ts',
    'vote.ts',
    'node-vote.ts',
    'vote-calls.ts',
    'with-place.ts',
    'grant.ts',
    'healing.ts',
    'outcome.ts',
    'wake-up.ts',
    'replies.ts',
    'keys.ts',
    'store.ts',
    'backend.ts',
    'operator.ts',
    'node-registry.ts',
    'duplicate-nodes.ts',
    'open.ts',
    'identity.ts',
  ],
  core: [
    'validity.ts',
    'lease-clock.ts',
    'lease-controller.ts',
    'lease-reference.ts',
    'renewer.ts',
    'wait-loop.ts',
    'attempt-log.ts',
    'wakeable-sleep.ts',
    'lease.ts',
    'limit.ts',
    'retained-key.ts',
    'deadline-heap.ts',
    'local-queue.ts',
    'acquisition.ts',
    'acquirer.ts',
    'locks.ts',
    'error-messages.ts',
    'owner.ts',
    'background.ts',
    'abort-signals.ts',
    'catch-as-unknown.ts',
    'memory/store.ts',
    'memory/contender.ts',
    'memory/grant.ts',
    'memory/client.ts',
    'memory/backend.ts',
  ],
  zk: [
    'validity.ts',
    'queue.ts',
    'proof-of-life.ts',
    'contender.ts',
    'queue-entry.ts',
    'predecessor-watch.ts',
    'position-finder.ts',
    'container.ts',
    'shared-request.ts',
    'request-window.ts',
    'crowd-pacer.ts',
    'grant.ts',
    'heartbeat.ts',
    'leader-answers.ts',
    'session-handle.ts',
    'sessions.ts',
    'node-deleter.ts',
    'disconnection.ts',
    'replacement-session.ts',
    'foreign-nodes.ts',
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
    'stamped-write.ts',
    'contender.ts',
    'grant.ts',
    'replies.ts',
    'store.ts',
    'backend.ts',
    'operator.ts',
    'open.ts',
    'identity.ts',
  ],
};

export const PACKAGES: readonly Mutable[] = [
  'redis-simple',
  'redlock',
  'core',
  'zk',
  'redis-getset',
];

export function sourceOf(of: Mutable, file: string): string {
  return join(ROOT, 'packages', of, 'src', file);
}
