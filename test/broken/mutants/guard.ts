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
      why: 'A guard that compares tokens on writes alone has not heard of the new holder while that one only reads: it lets a late write of the old one through, and then one that was computed from what stood before.',
      detectedBy: /overwrote/,
    },
    {
      name: 'fence-on-reads-alone',
      find: '    const accepted = read !== undefined && this.#admits(token);\n',
      replace: '    const accepted = read !== undefined;\n',
      why: 'A guard that compares tokens at the door: whoever was let in to read may write whenever it likes, after it stood still past its lease too.',
      detectedBy: /accepted token|overwrote/,
    },
    {
      name: 'largest-token-forgotten',
      find: '    else this.#largest = token;\n',
      replace: '',
      why: 'A guard that asks for a token and compares it with none lets everybody through: the late writer as well.',
      detectedBy: /accepted token|overwrote/,
    },
  ] satisfies readonly GuardMutant[]
).map((mistake) => ({
  ...mistake,
  package: 'sim',
  file: 'schedule/resource.ts',
  trial: { subject: 'redis-simple', faults: ['pause'], target: FENCED },
}));
