import fc from 'fast-check';
import type { Core } from './core.ts';
import { type Played, play } from './play.ts';
import { replayOf, type Schedule, schedules } from './schedule.ts';

/** What is wrong with a run, undefined when nothing is. */
export type Objection = (played: Played) => string | undefined;

export interface Found {
  /** As small as shrinking could make it, if it was to. */
  readonly schedule: Schedule;
  readonly played: Played;
  readonly objection: string;
  /** How many schedules it took to find it, before shrinking. */
  readonly runs: number;
}

export interface SearchOptions {
  readonly seed: number;
  readonly runs: number;
  readonly among?: fc.Arbitrary<Schedule>;
  readonly guard?: boolean;
  /** Whether to make what was found small, which takes longer than finding it. */
  readonly shrink?: boolean;
}

/** Plays generated schedules until one is objected to. */
export async function search(
  core: Core,
  objection: Objection,
  { seed, runs, among = schedules, guard = false, shrink = true }: SearchOptions,
): Promise<Found | undefined> {
  const property = fc.asyncProperty(
    among,
    async (schedule) => objection(await play(core, schedule, { guard })) === undefined,
  );
  const { counterexample, numRuns, errorInstance } = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: !shrink,
  });
  if (counterexample === null) return undefined;
  const [schedule] = counterexample;
  const played = await play(core, schedule, { guard });
  return { schedule, played, objection: objection(played) ?? String(errorInstance), runs: numRuns };
}

/** Two valid leases at once, a stale write past the fence, a history that makes no sense, a leak, or a stuck waiter. */
export const broken: Objection = ({ validity, fenced, complaints }) =>
  [validity, fenced].find(({ kind }) => kind !== 'ok')?.message ?? complaints[0];

/** Two critical sections at once. */
export const late: Objection = ({ belief }) => (belief.kind === 'ok' ? undefined : belief.message);

/** For people: what was found, and what to paste to see it again. */
export function told(found: Found | undefined): string {
  if (found === undefined) return 'nothing found';
  return `${found.objection}\nreplay: ${replayOf(found.schedule)}`;
}
