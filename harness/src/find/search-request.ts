import type { FaultId, PropertyId } from '@holdfast/core/backend';
import type { TargetProperty, Violation } from '../search/index.ts';

/** A request to search for violations; plain data, so that it can be sent to another thread. */
export interface SearchRequest {
  /** A built-in lock, or a file or package that exports one. */
  readonly lock: string;
  /** The folder where the lookup of files and packages starts. */
  readonly folder: string;
  readonly faults: readonly FaultId[];
  /** True if the resource compares fencing tokens; then it is judged, unless a property is named. */
  readonly fenced: boolean;
  readonly property?: Exclude<PropertyId, 'server-state'> | 'liveness' | undefined;
  /** The maximum number of schedules. */
  readonly budget: number;
  readonly seed: number;
}

/** The target that ends a search at once. */
export function primaryTarget({ property, fenced }: SearchRequest): TargetProperty {
  if (property !== undefined) return { property, fenced: fenced && property === 'resource' };
  return fenced ? { property: 'resource', fenced } : { property: 'validity', fenced: false };
}

/** The targets that are reported if nothing worse is found, the worst first. None if the request names a property. */
export function secondaryTargets({ property, fenced }: SearchRequest): readonly TargetProperty[] {
  if (property !== undefined || fenced) return [];
  return [
    { property: 'liveness', fenced: false },
    { property: 'belief', fenced: false },
  ];
}

const EXTRA_SCHEDULES_MIN = 1_000;

/**
 * The number of schedules that are run after a secondary hit, such as a late holder, to find something worse: a tenth of
 * the budget, at least a thousand.
 */
export function extraSchedules({ budget }: SearchRequest): number {
  return Math.max(EXTRA_SCHEDULES_MIN, Math.ceil(budget / 10));
}

export function isSame(a: TargetProperty, b: TargetProperty | Violation): boolean {
  return a.property === b.property && a.fenced === b.fenced;
}
