/** The longest lease that there is: who claims as much never looked at a clock. */
const DAY_MS = 86_400_000;
/** No run lasts longer; an honest claim of a day is shorter than that by the drift of clocks. */
const RUN_MS = 600_000;

/** Whether a claim is for as long as its holder likes. */
export function isUnbounded(fromMs: number, untilMs: number): boolean {
  return untilMs - fromMs > DAY_MS - RUN_MS;
}
