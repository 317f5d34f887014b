import type { FaultId } from '@holdfast/core';
import type { Schedule, Setup } from '@holdfast/sim';
import type { Arbitrary } from 'fast-check';
import type { SubjectName, Wanted } from '../../packages/holdfast/src/search/index.ts';

/** A lock with one thing wrong: at most three lines away from the right one. */
export interface Mutant {
  /** Also its folder, `.mutants/<name>`. */
  readonly name: string;
  /** The package that the mistake is in. */
  readonly package: Mutable;
  /** Below the package's source folder. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
  /** What people get wrong this way, and what comes of it. */
  readonly why: string;
  readonly trial: Trial;
  /** What the judge says of it from every seed; the judges themselves are on trial here too. */
  readonly convictedBy: RegExp;
}

/** Packages that mutants are made of. */
export type Mutable = 'core' | 'redis-simple' | 'redis-getset' | 'redlock' | 'zk';

/** By which schedules a mutant is tried: such as its right counterpart withstands. */
export interface Trial {
  readonly subject: SubjectName;
  readonly faults: readonly FaultId[];
  /** Where the schedules depart from what the subject and the faults ask for. */
  readonly setup?: Partial<Setup>;
  /** How the schedules are bent towards where the mistake shows. */
  readonly bent?: Bend;
  /** Schedules of its own, where the mistake shows only in a constellation that others do not come to. */
  readonly among?: Arbitrary<Schedule>;
  readonly wanted: Wanted;
  /** How many schedules a conviction may take, where it is rarer than {@link BUDGET}, and why it is. */
  readonly rare?: { readonly budget: number; readonly because: string };
}

/** What is made different in every schedule that comes out of a generator. */
export interface Bend {
  /** Makes all operations so many times as long, so that leases come to their end; 1 by default. */
  readonly holdsTimes?: number;
  /** Makes leases, operations and the time between them so many times as long; 1 by default. */
  readonly ttlTimes?: number;
  /** Whether all leases are renewed. */
  readonly allRenew?: boolean;
  /** Faults last less than this. */
  readonly faultMsMax?: number;
}

/** How many schedules a conviction may take. */
const BUDGET = 5_000;
/** Of what is rare. */
export const BUDGET_MAX = 20_000;

/** Two valid leases at once. */
export const VALIDITY = { property: 'validity', fenced: false } as const;
/** A stale effect at a resource that compares fencing tokens. */
export const FENCED = { property: 'resource', fenced: true } as const;
/** Whoever waits for ever, and what outlives its lease. */
export const LIVENESS = { property: 'liveness', fenced: false } as const;

export function budgetOf({ rare }: Trial): number {
  return rare?.budget ?? BUDGET;
}
