import { beforeAll, describe, expect, test } from 'vitest';
import { verdictOf } from './support/zk-chaos/expiries.ts';
import { EVIDENCE, PROMISES } from './support/zk-chaos/promises.ts';
import { type Chaos, runChaos } from './support/zk-chaos/run.ts';
import { summaryOf } from './support/zk-chaos/summary.ts';

const CHAOS_MS = Number(process.env['HOLDFAST_CHAOS_MS'] ?? 300_000);
/** Calms come on top, and each may have to wait for its quorum. */
const TIMEOUT_MS = 2 * CHAOS_MS + 180_000;
const SEED = process.env['HOLDFAST_SEED'] ?? `${Date.now()}`;

describe('16 clients, while three servers are stopped, killed and cut off one at a time', () => {
  let chaos: Chaos;

  beforeAll(async () => {
    chaos = await runChaos({ library: 'zk-client', seed: SEED, ms: CHAOS_MS });
    console.log(summaryOf('zk-client', chaos));
  }, TIMEOUT_MS);

  test.each(PROMISES)('%s', (_, brokenIn) => {
    expect(brokenIn(chaos), `HOLDFAST_SEED=${SEED}`).toEqual([]);
  });

  test.each(EVIDENCE)('there was %s', (_, isIn) => {
    expect(isIn(chaos), `HOLDFAST_SEED=${SEED}`).toBe(true);
  });
});

test('a client that gives up its session with its connection is detected', {
  timeout: TIMEOUT_MS,
}, async () => {
  const mutation = {
    file: 'zk-client/src/session-link.ts',
    find: `    this.#lastCause = cause;
    this.state.set('disconnected');`,
    replace: `    if (this.#id !== 0n) return this.#end('expired', 'lost');
    this.state.set('disconnected');`,
  };

  const chaos = await runChaos({ library: 'zk-client', seed: SEED, ms: CHAOS_MS / 10, mutation });

  expect(chaos.expiries.filter((expiry) => verdictOf(expiry) === 'falsely')).not.toEqual([]);
});

test('the promises through npm zookeeper: reported, not required', {
  timeout: TIMEOUT_MS,
}, async () => {
  const chaos = await runChaos({ library: 'zookeeper', seed: SEED, ms: CHAOS_MS / 5 });

  console.log(summaryOf('zookeeper', chaos));
  expect(chaos.calms.length).toBeGreaterThan(0);
});
