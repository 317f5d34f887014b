import type { PlayResult } from '../simulator/index.ts';

/** Places in the list of faults of those that never took effect. */
export function faultsWithoutEffect({ schedule, injections }: PlayResult): readonly number[] {
  return schedule.faults.flatMap((_, i) =>
    injections.some(({ fault }) => fault === i) ? [] : [i],
  );
}

/** Why a run in which nothing goes wrong proves nothing, as a clause; undefined where its faults were a trial. */
export function whyProvesNothing(played: PlayResult): string | undefined {
  const { faults } = played.schedule;
  const unstruck = faultsWithoutEffect(played).length;
  if (unstruck === 0) return undefined;
  return unstruck === faults.length
    ? 'the fault does not strike here'
    : 'not all of the faults strike here';
}
