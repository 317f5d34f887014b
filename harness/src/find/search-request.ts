import type { FaultId, PropertyId } from '@holdfast/core';
import type { TargetProperty, Violation } from '../search/index.ts';

/** What somebody wants to find; plain data, so that it can be handed to another thread. */
export interface SearchRequest {
  /** One of our locks, or a file or package that exports one. */
  readonly lock: string;
  /** From where files and packages are looked up. */
  readonly folder: string;
  readonly faults: readonly FaultId[];
  /** Whether the resource compares fencing tokens; then it is what is judged, unless a property is named. */
  readonly fenced: boolean;
  readonly property?: Exclude<PropertyId, 'server-state'> | 'liveness' | undefined;
  /** How many schedules at most. */
  readonly budget: number;
  readonly seed: number;
}

/** What ends a search at once. */
export function primaryTarget({ property, fenced }: SearchRequest): TargetProperty {
  if (property !== undefined) return { property, fenced: fenced && property === 'resource' };
  return fenced ? { property: 'resource', fenced } : { property: 'validity', fenced: false };
}

/** What is good enough when nothing worse is found, the worse first. Nothing where the quest names what it wants. */
export function secondaryTargets({ property, fenced }: SearchRequest): readonly TargetProperty[] {
  if (property !== undefined || fenced) return [];
  return [
    { property: 'liveness', fenced: false },
    { property: 'belief', fenced: false },
  ];
}

const EXTRA_SCHEDULES_MIN = 1_000;

/**
 * After something lesser, such as a late holder, only so many more schedules are tried for something worse: a tenth of
 * the budget, at least a thousand.
 */
export function extraSchedules({ budget }: SearchRequest): number {
  return Math.max(EXTRA_SCHEDULES_MIN, Math.ceil(budget / 10));
}

export function isSame(a: TargetProperty, b: TargetProperty | Violation): boolean {
  return a.property === b.property && a.fenced === b.fenced;
}
