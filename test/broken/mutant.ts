import type { FaultId } from '@holdfast/core/backend';
import type { Schedule, Setup } from '@holdfast/harness/simulator';
import type { Arbitrary } from 'fast-check';
import type { Modes } from '../../harness/test/kit/modes.ts';
import type { TargetProperty } from '../../harness/test/kit/search.ts';

/** A lock with one thing wrong: at most three lines away from the right one. */
export interface Mutant<Of = Mutable> {
  /** Also its folder, `.mutants/<name>`. */
  readonly name: string;
  /** The package that the mistake is in. */
  readonly package: Of;
  /** Below the package's source folder. */
  readonly file: string;
  /** Occurs there once. */
  readonly find: string;
  readonly replace: string;
  /** The mistake that people make this way, and its effect. */
  readonly why: string;
  readonly trial: MutantTrial;
  /** The message of the judge, from every seed; this tests the judges, too. */
  readonly detectedBy: RegExp;
}

/** Packages that mutants are made of. */
export type Mutable =
  | 'core'
  | 'redis'
  | 'redis-simple'
  | 'redis-getset'
  | 'redlock'
  | 'moving'
  | 'postgres'
  | 'zk'
  | 'zk-client'
  | 'etcd';

/** A wrong lock, or a right one before a wrong guard: `sim` has the resource that every schedule writes to. */
export type AnyMutant = Mutant<Mutable | 'sim'>;

/** By which schedules a mutant is tried: such as its right counterpart withstands. */
export interface MutantTrial {
  readonly subject: string;
  readonly faults: readonly FaultId[];
  /** How its clients hold, if not exclusively. */
  readonly modes?: Modes;
  /** The settings in which the schedules differ from those that subject and faults imply. */
  readonly setup?: Partial<Setup>;
  /** Schedules of its own, where the mistake shows only in a constellation that others do not come to. */
  readonly among?: CustomSchedules;
  readonly target: TargetProperty;
  /** The number of schedules that a detection may take, if it is rarer than {@link BUDGET}, and the reason. */
  readonly rare?: { readonly budget: number; readonly because: string };
}

/** Schedules that are made for one mutant. */
export interface CustomSchedules {
  readonly schedules: Arbitrary<Schedule>;
  /** What happens in each, as a clause that begins with "in which". */
  readonly what: string;
}

/** The number of schedules that a detection may take. */
const BUDGET = 5_000;
/** Of what is rare. */
export const BUDGET_MAX = 20_000;

/** Two valid leases at once. */
export const VALIDITY = { property: 'validity', fenced: false } as const;
/** A stale effect at a resource that compares fencing tokens. */
export const FENCED = { property: 'resource', fenced: true } as const;
/** A waiter is served before one that came earlier and stayed. */
export const FIFO = { property: 'fifo', fenced: false } as const;
/** Waits without end, and state that outlives its lease. */
export const LIVENESS = { property: 'liveness', fenced: false } as const;

/** A renewal, release or undo that reaches beyond the hold that it was sent for. */
export const OWNERSHIP = { property: 'ownership', fenced: false } as const;

/** A report to a client that the servers' own record contradicts. */
export const ANSWERS = { property: 'answers', fenced: false } as const;

export function budgetOf({ rare }: MutantTrial): number {
  return rare?.budget ?? BUDGET;
}

/** The source folder of a package, from the root; the simulator is a folder of the harness. */
export function homeOf(of: AnyMutant['package']): string {
  return of === 'sim' ? 'harness/src/sim' : `packages/${of}/src`;
}

/** A mutant whose package and subject are those of all in its list. */
export type ListedMutant = Omit<Mutant, 'package' | 'trial'> & {
  readonly trial: Omit<MutantTrial, 'subject'>;
};

/** Mutants of one package, all tried on one lock. */
export function mutantsOf(
  of: Mutable,
  subject: string,
  mutants: readonly ListedMutant[],
): readonly Mutant[] {
  return mutants.map((mutant) => ({
    ...mutant,
    package: of,
    trial: { ...mutant.trial, subject },
  }));
}
