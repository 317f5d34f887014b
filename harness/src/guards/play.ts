import type { Verdict } from '@holdfast/core/backend';
import { type HolderWrite, judgeWrites } from './judge-writes.ts';
import { PlayedHolder } from './played-holder.ts';
import { type GuardSubject, ROWS } from './subject.ts';

/** Equal as doubles, and one apart. */
export const NEIGHBOURS: { readonly late: bigint; readonly next: bigint } = {
  late: 2n ** 53n,
  next: 2n ** 53n + 1n,
};

/** One schedule: where both holders were paused, and what came of it. */
export interface GuardPlay {
  /** The step before which the late holder was paused. */
  readonly lateAt: string;
  /** The step before which the next holder was paused meanwhile; undefined if it ran to its end. */
  readonly nextAt: string | undefined;
  /** True if all writes of the late holder were refused. */
  readonly isLateRefused: boolean;
  readonly verdict: Verdict;
}

/** What a guard did under every pause. */
export interface GuardReport {
  readonly subject: string;
  readonly plays: readonly GuardPlay[];
  /** The first play that is not ok. */
  readonly broken: GuardPlay | undefined;
}

/**
 * Plays a late holder against the next one: it is paused before each of its steps, and the next holder runs meanwhile, to
 * its end, or is paused before each of its own steps until the late one has gone on.
 */
export async function playGuard(subject: GuardSubject): Promise<GuardReport> {
  const steps = await stepsOf(subject);
  const plays: GuardPlay[] = [];
  for (const late of steps.keys())
    for (const next of [...steps.keys(), steps.length])
      plays.push(await play(subject, steps, { late, next }));
  const broken = plays.find(({ verdict }) => verdict.kind !== 'ok');
  return { subject: subject.name, plays, broken };
}

/** The steps of a holder that is alone. */
async function stepsOf(subject: GuardSubject): Promise<readonly string[]> {
  await subject.reset();
  const holder = new PlayedHolder('alone', NEIGHBOURS.late, Number.POSITIVE_INFINITY);
  await subject.addToAll(holder, () => undefined);
  return holder.steps;
}

async function play(
  subject: GuardSubject,
  steps: readonly string[],
  at: { readonly late: number; readonly next: number },
): Promise<GuardPlay> {
  await subject.reset();
  const late = new PlayedHolder('late', NEIGHBOURS.late, at.late);
  const next = new PlayedHolder('next', NEIGHBOURS.next, at.next);
  late.beside(next);
  next.beside(late);
  const writes: HolderWrite[] = [];
  const run = (holder: PlayedHolder): Promise<void> =>
    holder.run(() => subject.addToAll(holder, (write) => writes.push({ ...write, holder })));

  const lateRun = run(late);
  await late.halted;
  const nextRun = run(next);
  await unlessWaiting(subject, next.halted);
  late.resume();
  await unlessWaiting(subject, late.stuck);
  next.resume();
  await Promise.all([lateRun, nextRun]);

  return {
    lateAt: steps[at.late] ?? '',
    nextAt: steps[at.next],
    isLateRefused: writes.every(({ holder, outcome }) => holder !== late || outcome === 'refused'),
    verdict: await judged(subject, [late, next], writes),
  };
}

/** Resolves with `event`, or as soon as a holder waits inside the store. */
async function unlessWaiting(subject: GuardSubject, event: Promise<void>): Promise<void> {
  if (subject.waiting === undefined) return event;
  const stop = new AbortController();
  const waiting = subject.waiting(stop.signal);
  await Promise.race([event, waiting]);
  stop.abort();
  await waiting;
}

/** The values of the store have to agree with the writes that it accepted, or the report of the subject is wrong. */
async function judged(
  subject: GuardSubject,
  holders: readonly PlayedHolder[],
  writes: readonly HolderWrite[],
): Promise<Verdict> {
  const verdict = judgeWrites(holders, writes);
  if (verdict.kind !== 'ok') return verdict;
  const values = await subject.values();
  const accepted = ROWS.map(
    (row) => writes.filter((write) => write.row === row && write.outcome !== 'refused').length,
  );
  if (values.every((value, i) => value === accepted[i])) return verdict;
  const message = `the rows are ${values.join(', ')} after ${accepted.join(', ')} accepted writes`;
  return { ...verdict, kind: 'violated', message };
}
