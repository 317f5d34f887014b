import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZooKeeperEnsemble, type ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { curator, kazoo, npm } from '../../servers/support/neighbour-process.ts';
import { RUN_MS, runBeside, summaryOf } from './support/neighbours/run.ts';
import { sleep } from './support/store-chaos.ts';

const SESSION_MS = 4_000;
const timeout = RUN_MS + 300_000;
const GRANTS_MIN = RUN_MS / 10_000;

let ensemble: ZooKeeperEnsemble;
beforeEach(async () => {
  ensemble = await ZooKeeperEnsemble.start({});
});
afterEach(async () => {
  await ensemble.close();
});

async function leader(): Promise<ZooKeeperServer> {
  for (;;) {
    const found = await ensemble.leader();
    if (found !== undefined) return found;
    await sleep(50);
  }
}

async function killLeader(): Promise<void> {
  const killed = await leader();
  killed.kill();
  await sleep(3_000 * Math.random());
  await killed.restart();
}

const NEIGHBOURS: readonly (readonly [string, string | undefined])[] = [
  ['Curator', curator('', SESSION_MS)?.command],
  ['kazoo', kazoo('', SESSION_MS, ['-lock-'])?.command],
];

test.each(NEIGHBOURS.filter(([, command]) => command !== undefined))(
  '%s and ours lose no update while clients die, lose their sessions, and the leader is killed',
  { timeout },
  async (name, command = '') => {
    const outcome = await runBeside({
      ours: { name: 'ours', command: npm('holdfast.mjs', 'zk', '/locks'), key: 'orders' },
      theirs: { name, command, key: '/locks/orders' },
      ports: ensemble.servers.map(({ port }) => port),
      ttlMs: SESSION_MS,
      injections: { 'the leader dies': killLeader },
    });
    console.info(summaryOf(name, outcome));

    expect(outcome.violations).toEqual([]);
    expect(outcome.grants['ours']).toBeGreaterThan(GRANTS_MIN);
    expect(outcome.grants[name]).toBeGreaterThan(GRANTS_MIN);
  },
);
