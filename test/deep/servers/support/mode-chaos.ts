import type { Lease, Locks } from '@holdfast/core';
import { anyOf, workFor } from './store-chaos.ts';

type Lent = Pick<Lease, 'remainingMs' | 'release'>;

/** How a client holds: as a reader, as a writer, or with permits of a semaphore. */
export type Way = 'read' | 'write' | 1 | 2;

const WAYS: readonly Way[] = ['read', 'read', 'write', 1, 2];
const PERMITS = 3;

/** What clients saw of a key with readers and writers and of a semaphore: all in this process, so by one clock. */
export class ModeJudge {
  readonly violations: string[] = [];
  readonly grants: Record<Way, number> = { read: 0, write: 0, 1: 0, 2: 0 };
  readonly #holds = new Map<Lent, { readonly name: string; readonly way: Way }>();
  /** What the writers of the key change, each by a read and a write. */
  #counter = 0;

  granted(name: string, lease: Lent, way: Way): void {
    this.grants[way] += 1;
    const valid = [...this.#holds].filter(([held]) => held.remainingMs() > 0).map(([, by]) => by);
    const beside = valid.filter((other) => excludes(way, other.way));
    for (const other of beside)
      this.violations.push(`${name} got ${way} beside ${other.name} with ${other.way}`);
    const taken = valid.reduce((sum, other) => sum + permitsOf(other.way), permitsOf(way));
    if (taken > PERMITS && typeof way === 'number')
      this.violations.push(`${name} made it ${taken} of ${PERMITS} permits`);
    this.#holds.set(lease, { name, way });
  }

  /** Works with what the lock protects. A reader must find it unchanged, and a writer must change what it read. */
  async work(name: string, lease: Lent, way: Way): Promise<void> {
    const before = this.#counter;
    await workFor();
    const isUnchanged = this.#counter === before;
    if (typeof way === 'number' || lease.remainingMs() <= 0) return;
    if (!isUnchanged) this.violations.push(`${name} with ${way} found the counter changed`);
    if (way === 'write') this.#counter = before + 1;
  }

  /** Called before the release is requested. */
  left(lease: Lent): void {
    this.#holds.delete(lease);
  }
}

function permitsOf(way: Way): number {
  return typeof way === 'number' ? way : 0;
}

function excludes(one: Way, other: Way): boolean {
  if (typeof one === 'number' || typeof other === 'number') return false;
  return one === 'write' || other === 'write';
}

/** A turn of a client as a reader, a writer or with permits, by chance. */
export async function turnInMode(judge: ModeJudge, name: string, locks: Locks): Promise<void> {
  const way = anyOf(WAYS);
  const lease = await ask(locks, way).catch(() => undefined);
  if (lease === undefined) return;
  judge.granted(name, lease, way);
  await judge.work(name, lease, way);
  judge.left(lease);
  await lease.release();
}

function ask(locks: Locks, way: Way): Promise<Lent> {
  const options = { waitMs: 2_000 };
  if (typeof way === 'number') return locks.semaphore('s', PERMITS).acquire(way, options);
  return way === 'read' ? locks.read('k').acquire(options) : locks.write('k').acquire(options);
}
