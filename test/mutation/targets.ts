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
 * out are types, lists of names, what is generated, and the adapters of client libraries, which no simulation runs.
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
    'hold.ts',
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
    'seat.ts',
    'vote-calls.ts',
    'placed.ts',
    'grant.ts',
    'healing.ts',
    'outcome.ts',
    'wake-up.ts',
    'replies.ts',
    'keys.ts',
    'store.ts',
    'backend.ts',
    'operator.ts',
    'roster.ts',
    'endpoints.ts',
    'open.ts',
    'identity.ts',
  ],
  core: [
    'validity.ts',
    'term.ts',
    'hold.ts',
    'handle.ts',
    'renewals.ts',
    'front.ts',
    'lease.ts',
    'limit.ts',
    'keep.ts',
    'alarms.ts',
    'lines.ts',
    'acquire.ts',
    'acquirer.ts',
    'locks.ts',
    'use.ts',
    'loss.ts',
    'owner.ts',
    'background.ts',
    'abort.ts',
    'lent-signal.ts',
    'settle.ts',
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
    'entry.ts',
    'ahead.ts',
    'look.ts',
    'container.ts',
    'shared.ts',
    'window.ts',
    'pace.ts',
    'grant.ts',
    'heartbeat.ts',
    'leader-answers.ts',
    'presence.ts',
    'sessions.ts',
    'removals.ts',
    'absence.ts',
    'successor.ts',
    'strangers.ts',
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
    'bid.ts',
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
