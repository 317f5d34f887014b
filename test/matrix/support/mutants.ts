import type { Subject } from '@holdfast/harness/simulator';
import type { MatrixColumn } from '../../../harness/test/kit/matrix.ts';
import { mutantOf as opened } from '../../broken/copied-subjects.ts';
import { CORE_MUTANTS } from '../../broken/mutants/core.ts';
import { ETCD_MUTANTS } from '../../broken/mutants/etcd.ts';
import { POSTGRES_MUTANTS } from '../../broken/mutants/postgres.ts';
import { REDIS_GETSET_MUTANTS } from '../../broken/mutants/redis-getset.ts';
import { REDIS_SIMPLE_MUTANTS } from '../../broken/mutants/redis-simple.ts';
import { REDLOCK_MUTANTS } from '../../broken/mutants/redlock.ts';
import { TOPOLOGY_MUTANTS } from '../../broken/mutants/topologies.ts';
import { ZK_MUTANTS } from '../../broken/mutants/zk.ts';
import { ZK_SCHEDULE_MUTANTS } from '../../broken/mutants/zk-schedules.ts';
import type { Change } from '../../broken/mutate.ts';

const MUTANTS: readonly Change[] = [
  ...CORE_MUTANTS,
  ...REDIS_SIMPLE_MUTANTS,
  ...REDIS_GETSET_MUTANTS,
  ...REDLOCK_MUTANTS,
  ...TOPOLOGY_MUTANTS,
  ...POSTGRES_MUTANTS,
  ...ZK_SCHEDULE_MUTANTS,
  ...ETCD_MUTANTS,
  ...ZK_MUTANTS.map((mutant) => ({ ...mutant, package: 'zk' as const })),
];

/**
 * Opens the lock of a column with one mistake.
 * @throws Error if there is no such mutant: a cell without a mutant has proved nothing
 */
export async function mutantOf(name: string, column: MatrixColumn): Promise<Subject> {
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`unknown mutant "${name}" in test/broken`);
  if (column === 'redlock-3') return { ...(await opened(mutant, 'redlock')), nodes: 3 };
  const lock = column === 'redlock-pairs' ? 'redlock' : column;
  return await opened(mutant, lock);
}
