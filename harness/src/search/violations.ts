import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { fifo, Judge, ownership } from '../check/index.ts';
import type { PlayResult, StoryProperty } from '../simulator/index.ts';

/** A property whose violation a search can target. */
export interface TargetProperty {
  readonly property: StoryProperty;
  /** With `resource`: true for the resource that compares fencing tokens. */
  readonly fenced: boolean;
}

/** A violation in a run. */
export interface Violation extends TargetProperty {
  readonly kind: 'violated' | 'unknown';
  /** One sentence for people. */
  readonly message: string;
  readonly proof: readonly HistoryEvent[];
}

/** All targets, the worst first; a late holder is not the lock's fault. */
export const TARGET_PROPERTIES: readonly TargetProperty[] = [
  { property: 'validity', fenced: false },
  { property: 'resource', fenced: true },
  { property: 'liveness', fenced: false },
  { property: 'fifo', fenced: false },
  { property: 'ownership', fenced: false },
  { property: 'answers', fenced: false },
  { property: 'resource', fenced: false },
  { property: 'belief', fenced: false },
];

/** The violation of one property by a run, or undefined. */
export function violationOf(
  played: PlayResult,
  wanted: TargetProperty,
  judge?: Judge,
): Violation | undefined {
  if (wanted.property === 'liveness') return livenessViolation(played);
  if (wanted.property === 'fifo') return orderViolation(played);
  if (wanted.property === 'ownership') return ownershipViolation(played);
  const judging = judge ?? new Judge(played.history);
  if (wanted.property === 'answers') return answerViolation(played, judging);
  const { kind, message, proof } = verdictBy(judging, wanted);
  return kind === 'ok' ? undefined : { ...wanted, kind, message, proof };
}

/** All violations of a run. */
export function violationsOf(played: PlayResult): readonly Violation[] {
  const judge = new Judge(played.history);
  return TARGET_PROPERTIES.flatMap((wanted) => violationOf(played, wanted, judge) ?? []);
}

/** The verdict on one property of a history. */
export function verdictOf(history: readonly HistoryEvent[], wanted: TargetProperty): Verdict {
  return verdictBy(new Judge(history), wanted);
}

function verdictBy(judge: Judge, { property, fenced }: TargetProperty): Verdict {
  if (property === 'validity') return judge.validity();
  if (property === 'belief') return judge.belief();
  return judge.resource({ fenced });
}

/** Undefined for a lock without a queue that can be read. */
function orderViolation({ history, queueTickets }: PlayResult): Violation | undefined {
  if (queueTickets === undefined) return undefined;
  const { kind, message, proof } = fifo(history, queueTickets);
  return kind === 'ok' ? undefined : { property: 'fifo', fenced: false, kind, message, proof };
}

/** Judged by the servers' records, which show whose hold a command changed. */
function ownershipViolation({ history, touches }: PlayResult): Violation | undefined {
  const { kind, message, proof } = ownership(history, touches);
  return kind === 'ok' ? undefined : { property: 'ownership', fenced: false, kind, message, proof };
}

/** Judged by the servers' records. */
function answerViolation(
  { records = [], refusals = [] }: PlayResult,
  judge: Judge,
): Violation | undefined {
  const { kind, message, proof } = judge.answers(records, refusals);
  return kind === 'ok' ? undefined : { property: 'answers', fenced: false, kind, message, proof };
}

function livenessViolation({ complaints, history }: PlayResult): Violation | undefined {
  const message = complaints[0];
  if (message === undefined) return undefined;
  const proof = history.filter(({ type }) => type === 'denied' || type === 'doubt').slice(0, 1);
  return { property: 'liveness', fenced: false, kind: 'violated', message, proof };
}
