import type { Schedule } from '../schedule/schedule.ts';

/** Whether a schedule still shows what is to be shown. */
export type ShowsViolation = (schedule: Schedule) => Promise<boolean>;

/**
 * Leaves out choices and clients, for as long as what is left still shows the same: whatever is not said comes in the
 * order in which it came up, so that what stays is what matters.
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
  // From the end: what comes last depends on what came before.
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
