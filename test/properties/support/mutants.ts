import type { Subject } from '@holdfast/sim';
import type { MatrixColumn } from '../../../packages/holdfast/src/matrix/index.ts';
import { mutantOf as opened } from '../../broken/lineup.ts';
import type { Mutant } from '../../broken/mutant.ts';
import { CORE_MUTANTS } from '../../broken/mutants/core.ts';
import { REDIS_GETSET_MUTANTS } from '../../broken/mutants/redis-getset.ts';
import { REDIS_SIMPLE_MUTANTS } from '../../broken/mutants/redis-simple.ts';
import { REDLOCK_MUTANTS } from '../../broken/mutants/redlock.ts';

const MUTANTS: readonly Mutant[] = [
  ...CORE_MUTANTS,
  ...REDIS_SIMPLE_MUTANTS,
  ...REDIS_GETSET_MUTANTS,
  ...REDLOCK_MUTANTS,
];

/**
 * The lock of a column with one thing wrong.
 * @throws Error where there is no such mutant: a cell that nobody vouches for has proved nothing
 */
export function mutantOf(name: string, column: MatrixColumn): Promise<Subject> {
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${name} in test/broken`);
  return opened(mutant, column === 'redlock-pairs' ? 'redlock' : column);
}
