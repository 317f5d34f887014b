import { FENCED, type Mutant } from '../mutant.ts';

type GuardMutant = Omit<Mutant, 'package' | 'file' | 'trial'>;

/**
 * Mistakes in the guard that compares fencing tokens: the resource, not the lock. A guard that accepts late writers makes
 * every lock with tokens look broken. One that never has to reject would make every lock look correct. The guard has to
 * accept equal tokens, since one holder reads and writes; a lock that grants one token twice is a mutant of the locks.
 */
export const GUARD_MUTANTS: readonly Mutant<'sim'>[] = (
  [
    {
      name: 'fence-on-writes-alone',
      find: '    return { open: this.#open, fenced: this.#admits(token) ? this.#fenced : undefined };\n',
      replace: '    return { open: this.#open, fenced: this.#fenced };\n',
      why: 'A guard that compares tokens only on writes does not know a new holder that has only read. It accepts a late write of the old holder, and then one that was computed from the old value.',
      detectedBy: /overwrote/,
    },
    {
      name: 'fence-on-reads-alone',
      find: '    const accepted = read !== undefined && this.#admits(token);\n',
      replace: '    const accepted = read !== undefined;\n',
      why: 'A guard compares tokens only on reads: a client that could read may write at any time, also after a pause past its lease.',
      detectedBy: /accepted token|overwrote/,
    },
    {
      name: 'largest-token-forgotten',
      find: '    else this.#largest = token;\n',
      replace: '',
      why: 'A guard that requires a token and compares it with none accepts every client, also the late writer.',
      detectedBy: /accepted token|overwrote/,
    },
  ] satisfies readonly GuardMutant[]
).map((mistake) => ({
  ...mistake,
  package: 'sim',
  file: 'schedule/resource.ts',
  trial: { subject: 'redis-simple', faults: ['pause'], target: FENCED },
}));
