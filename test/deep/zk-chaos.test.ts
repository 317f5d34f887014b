import { mutualExclusion } from '@holdfast/check';
import type { HistoryEvent } from '@holdfast/core';
import { expect, test } from 'vitest';
import { faultOf } from './support/zk-chaos/ledger.ts';
import { type Chaos, type Expiry, runChaos } from './support/zk-chaos/run.ts';

const CHAOS_MS = Number(process.env['HOLDFAST_CHAOS_MS'] ?? 300_000);
const SEED = process.env['HOLDFAST_SEED'] ?? `${Date.now()}`;

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

function those(expired: Chaos['expired'], how: Expiry): string[] {
  return [...expired].flatMap(([id, its]) => (its === how ? [id] : []));
}

function told(name: string, { report, stuck, calms, blows, end, expired }: Chaos): string {
  const granted = report?.history.filter(({ type }) => type === 'granted').length;
  return JSON.stringify({
    name,
    seed: SEED,
    end,
    blows,
    calms,
    stuck,
    granted,
    errors: report?.errors,
    ledger: report?.ledger.length,
    expired: Object.fromEntries(
      [...new Set(expired.values())].map((how) => [how, those(expired, how).length]),
    ),
    unhandled: report?.unhandled,
  });
}

test('16 clients keep every promise while three servers are stopped, killed and cut off one at a time', {
  timeout: CHAOS_MS + 180_000,
}, async () => {
  const chaos = await runChaos({ library: 'zk-client', seed: SEED, ms: CHAOS_MS });

  console.log(told('zk-client', chaos));
  expect(chaos.end).toMatchObject({ code: 0, signal: null });
  const { report } = chaos;
  if (report === undefined) throw new Error('the clients did not report');
  expect(report.unhandled).toEqual([]);
  expect(report.strange).toEqual([]);
  expect(chaos.stuck).toEqual([]);
  expect(those(chaos.expired, 'falsely')).toEqual([]);
  expect(report.ledger.flatMap((line) => faultOf(line, chaos.standing) ?? [])).toEqual([]);
  for (const history of byKey(report.history)) {
    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
    expect(outOfTurn(history)).toEqual([]);
  }
  // Without all of it the run would have proved little.
  expect(report.history.filter(({ type }) => type === 'granted').length).toBeGreaterThan(100);
  expect(report.ledger.some(({ created }) => created === 'doubt')).toBe(true);
});

test('the same through npm zookeeper: reported, not required', {
  timeout: CHAOS_MS + 180_000,
}, async () => {
  const chaos = await runChaos({ library: 'zookeeper', seed: SEED, ms: CHAOS_MS / 5 });

  console.log(told('zookeeper', chaos));
  expect(chaos.calms).toBeGreaterThan(0);
});
