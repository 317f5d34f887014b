import { afterEach, expect, test } from 'vitest';
import { Laboratory } from '../../servers/support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 600_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function played(faults: string, backends: string): Promise<Laboratory> {
  const chosen = ['--faults', faults, '--backends', backends];
  const lab = new Laboratory([...chosen, '--trials', '2', '--ttl', '3000']);
  closing.push(() => lab.close());
  const { code, stdout } = await lab.ended;
  expect(stdout).toContain('As expected in all');
  expect(code).toBe(0);
  return lab;
}

test('unknown outcomes and needlessly lost leases are seen under faults that cause them', {
  timeout: LIMIT_MS,
}, async () => {
  const lab = await played('none,lost-reply,server-stop', 'redis-simple,zk');

  for (const column of ['redis-simple', 'zk']) {
    const { none, reply } = {
      none: lab.cell('none', column).figures,
      reply: lab.cell('lost-reply', column).figures,
    };
    // A lost reply is that of an acquisition or of a release, and both are requested all the time.
    expect(reply?.indeterminate.hits).toBeGreaterThan(0);
    expect(reply?.indeterminate.hits).toBeLessThan(reply?.indeterminate.of ?? 0);
    expect(none?.indeterminate.hits).toBe(0);
    expect(none?.falseLosses).toMatchObject({ hits: 0, of: 2 });
  }
  // No client can renew or acquire for longer than a lease lasts. An ensemble may have elected
  // another leader before that; a single server has no election.
  for (const column of ['redis-simple', 'zk/single']) {
    const { figures } = lab.cell('server-stop', column);
    expect(figures?.falseLosses).toMatchObject({ hits: 2, of: 2 });
    expect(figures?.givenUp).toBeGreaterThan(0);
  }
});

test('a waiter that gets no notification acquires the free lock all the same, and the report shows the delay', {
  timeout: LIMIT_MS,
}, async () => {
  const lab = await played('lost-wakeup', 'redis-simple,zk');

  for (const column of ['redis-simple', 'zk']) {
    const { handoverMs } = lab.cell('lost-wakeup', column).figures ?? {};
    expect(handoverMs).toMatchObject({ samples: 2, unended: 0 });
    expect(handoverMs?.median).toBeGreaterThan(0);
  }
});
