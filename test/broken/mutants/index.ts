import type { AnyMutant, Mutant } from '../mutant.ts';
import { ANSWER_MUTANTS } from './answers.ts';
import { CORE_MUTANTS } from './core.ts';
import { DUPLICATE_NODE_MUTANTS } from './duplicate-nodes.ts';
import { ETCD_MUTANTS } from './etcd.ts';
import { FAMILY_MUTANTS } from './family.ts';
import { GUARD_MUTANTS } from './guard.ts';
import { LIVENESS_MUTANTS } from './liveness.ts';
import { POSTGRES_MUTANTS } from './postgres.ts';
import { RARE_MOMENT_MUTANTS } from './rare-moments.ts';
import { REDIS_GETSET_MUTANTS } from './redis-getset.ts';
import { REDIS_SIMPLE_MUTANTS } from './redis-simple.ts';
import { REDLOCK_MUTANTS } from './redlock.ts';
import { REFUSAL_MUTANTS } from './refusals.ts';
import { ZK_CLIENT_MUTANTS } from './zk-client.ts';
import { ZK_SCHEDULE_MUTANTS } from './zk-schedules.ts';

/** All mutants that generated schedules detect; matrix.json names some, each the counterpart of a cell that holds. */
export const MUTANTS: readonly Mutant[] = [
  ...CORE_MUTANTS,
  ...REDIS_SIMPLE_MUTANTS,
  ...REDIS_GETSET_MUTANTS,
  ...REDLOCK_MUTANTS,
  ...ZK_SCHEDULE_MUTANTS,
  ...ZK_CLIENT_MUTANTS,
  ...ETCD_MUTANTS,
  ...LIVENESS_MUTANTS,
  ...ANSWER_MUTANTS,
  ...REFUSAL_MUTANTS,
  ...RARE_MOMENT_MUTANTS,
  ...DUPLICATE_NODE_MUTANTS,
  ...POSTGRES_MUTANTS,
  ...FAMILY_MUTANTS,
];

/** Those, and what goes wrong in the guard of a resource: all that the track record shows. */
export const ALL_MUTANTS: readonly AnyMutant[] = [...MUTANTS, ...GUARD_MUTANTS];
