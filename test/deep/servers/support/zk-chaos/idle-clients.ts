import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ZooKeeperSession } from '@holdfast/zk/port';
import type { Child } from '../../../../support/child.ts';
import { areWell, type Reigns } from './reigns.ts';
import { LEDGER } from './write-log.ts';

/** A client that got nothing done within five seconds of a healthy quorum. */
export interface Stuck {
  readonly client: number;
  /** The time until it got something done after all; undefined if that took more than four times as long. */
  readonly slowMs: number | undefined;
  /** The load of this machine, for people. */
  readonly load: number;
}

const PROGRESS_MS = 5_000;
/** The further time in which a slow client is distinguished from a stuck one. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 250;
const WELL_MS = 60_000;
/** A quorum that takes longer for one write is not healthy. */
const WRITE_MS = 1_000;

export interface CalmParts {
  readonly child: Child;
  readonly reigns: Reigns;
  /** A session of the judge's own, past the proxies. */
  readonly tree: ZooKeeperSession;
}

/**
 * Waits for a healthy quorum, and then for every client to get something done. The time counts only if the quorum stayed
 * healthy, which the judge checks by its own writes; else it starts again. Returns undefined if that never happened.
 */
export async function stuckInCalm(parts: CalmParts): Promise<readonly Stuck[] | undefined> {
  const untilMs = performance.now() + WELL_MS;
  try {
    while (performance.now() < untilMs) {
      await untilWell(parts, untilMs);
      const sinceMs = performance.now();
      const before = await progressOf(parts.child, 'calm');
      let idle = await idleSince(parts, before, sinceMs + PROGRESS_MS);
      if (idle.length === 0) return [];
      if (!parts.reigns.wereWellSince(sinceMs) || !(await writesSoon(parts.tree))) continue;
      const load = loadavg()[0] ?? 0;
      const late = idle;
      idle = await idleSince(parts, before, sinceMs + PROGRESS_MS + PATIENCE_MS);
      const slowMs = performance.now() - sinceMs;
      return late.map((client) => ({
        client,
        slowMs: idle.includes(client) ? undefined : slowMs,
        load,
      }));
    }
    return undefined;
  } finally {
    await progressOf(parts.child, 'storm');
  }
}

async function untilWell({ reigns, tree }: CalmParts, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    if (areWell(await reigns.ask()) && (await writesSoon(tree))) return;
    await sleep(LOOK_MS);
  }
}

async function writesSoon(tree: ZooKeeperSession): Promise<boolean> {
  const written = tree.setData(LEDGER, '').then(
    () => true,
    () => false,
  );
  return await Promise.race([written, sleep(WRITE_MS).then(() => false)]);
}

/** Returns the clients that got nothing done since; as soon as there is none, and at `untilMs` at the latest. */
async function idleSince(
  { child }: CalmParts,
  before: readonly number[],
  untilMs: number,
): Promise<readonly number[]> {
  for (;;) {
    const now = await progressOf(child, 'calm');
    const idle = now.flatMap((count, client) => (count > (before[client] ?? 0) ? [] : [client]));
    if (idle.length === 0 || performance.now() >= untilMs || !child.isAlive) return idle;
    await sleep(LOOK_MS);
  }
}

/** Starts this stage and returns how much each client has done. */
function progressOf(child: Child, stage: 'calm' | 'storm'): Promise<readonly number[]> {
  const reported = new Promise<readonly number[]>((done) => {
    const stop = child.onMessage((message) => {
      if (typeof message !== 'object' || message === null || !('progress' in message)) return;
      stop();
      done(Array.isArray(message.progress) ? message.progress.map(Number) : []);
    });
  });
  child.send(stage);
  return Promise.race([reported, child.ended.then(() => [])]);
}
