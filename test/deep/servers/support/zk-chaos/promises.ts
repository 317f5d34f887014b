import type { HistoryEvent } from '@holdfast/core/backend';
import { mutualExclusion } from '@holdfast/harness/check';
import { verdictOf } from './expiries.ts';
import type { Report } from './report.ts';
import type { Chaos } from './run.ts';
import { faultOf } from './write-log.ts';

/** The promises that the clients have to keep, each with a judge that returns the evidence against it. */
export const PROMISES: readonly (readonly [string, (chaos: Chaos) => readonly unknown[]])[] = [
  ['their process neither crashes nor hangs', ({ end }) => (isWell(end) ? [] : [end])],
  ['nothing is rejected that nobody waits for', (chaos) => reported(chaos).unhandled],
  ['requests fail in no other way than the port says', (chaos) => reported(chaos).strange],
  [
    'everybody gets something done within five seconds of a healthy quorum',
    ({ calms }) => calms.flatMap((stuck, calm) => (stuck ?? []).map((who) => ({ calm, ...who }))),
  ],
  [
    'no session is given up that lives',
    ({ expiries }) => expiries.filter((expiry) => verdictOf(expiry) === 'falsely'),
  ],
  [
    'no unknown outcome is reported as a known one',
    (chaos) =>
      reported(chaos)
        .ledger.filter(({ path }) => !chaos.rifts.some(({ paths }) => paths.has(path)))
        .flatMap((line) => faultOf(line, chaos.standing) ?? []),
  ],
  [
    'no two leases of a key are valid at once',
    (chaos) =>
      byKey(reported(chaos).history)
        .map((history) => mutualExclusion(history))
        .filter(({ kind }) => kind !== 'ok'),
  ],
  [
    'who stays is served in order',
    (chaos) => byKey(reported(chaos).history).flatMap((history) => outOfTurn(history)),
  ],
];

/** The events that a run has to contain; without all of them, it proved little. */
export const EVIDENCE: readonly (readonly [string, (chaos: Chaos) => boolean])[] = [
  ['more than a hundred grants', (chaos) => grantsOf(chaos) > 100],
  ['a doubtful creation', (chaos) => reported(chaos).ledger.some(isDoubtful)],
  [
    'a healthy quorum of one mind in most calms',
    ({ calms }) => 2 * calms.filter((stuck) => stuck !== undefined).length > calms.length,
  ],
];

export function grantsOf(chaos: Chaos): number {
  return chaos.report?.history.filter(({ type }) => type === 'granted').length ?? 0;
}

function isWell(end: Chaos['end']): boolean {
  return end !== 'stuck' && end.code === 0 && end.signal === null;
}

function isDoubtful({ created }: Report['ledger'][number]): boolean {
  return created === 'doubt';
}

/** @throws Error where there is nothing to judge by */
function reported({ report }: Chaos): Report {
  if (report === undefined) throw new Error('the clients did not live to report');
  return report;
}

function byKey(history: readonly HistoryEvent[]): HistoryEvent[][] {
  const keys = [...new Set(history.map(({ key }) => key))];
  return keys.map((key) => history.filter((event) => event.key === key));
}

/** Grants that came before one whose node is older: tokens are the transactions that made the nodes of the queue. */
function outOfTurn(history: readonly HistoryEvent[]): string[] {
  const grants = history.filter((event) => event.type === 'granted');
  return grants.flatMap((grant, index) => {
    const before = grants[index - 1];
    const isLater = before === undefined || BigInt(grant.token ?? 0) > BigInt(before.token ?? 0);
    return isLater ? [] : [`${grant.hold} (${grant.token}) after ${before.hold} (${before.token})`];
  });
}
