import type { Schedule } from '../schedule/schedule.ts';

/** Returns true if a schedule still shows the violation. */
export type ShowsViolation = (schedule: Schedule) => Promise<boolean>;

/**
 * Leaves out choices and clients, for as long as the schedule still shows the violation. Steps that are not listed
 * come in the order in which they came up, so the list keeps only the steps that matter.
 */
export async function shorten(schedule: Schedule, shows: ShowsViolation): Promise<Schedule> {
  let short = schedule;
  for (;;) {
    const next = await firstOf(shorterThan(short), shows);
    if (next === undefined) return short;
    short = next;
  }
}

function shorterThan(schedule: Schedule): readonly Schedule[] {
  const { ops, choices = [] } = schedule;
  const fewer = ops.map((op) => ({ ...schedule, ops: ops.filter((each) => each !== op) }));
  // From the end: the last steps depend on the earlier ones.
  const terser = choices
    .map((_, i) => ({ ...schedule, choices: choices.filter((_each, at) => at !== i) }))
    .toReversed();
  return [...(ops.length > 1 ? fewer : []), ...terser];
}

async function firstOf(
  candidates: readonly Schedule[],
  shows: ShowsViolation,
): Promise<Schedule | undefined> {
  for (const candidate of candidates) if (await shows(candidate)) return candidate;
  return undefined;
}
