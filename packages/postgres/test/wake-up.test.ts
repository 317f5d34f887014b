import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import type { ChannelEvent, PostgresDatabase } from '../src/port.ts';
import { Releases, WakeUp } from '../src/wake-up.ts';

/** Before that nobody listens again. */
const RETRY_MS = 1_000;

test('a waiter is woken if the subscription ended and another one is live, all during one attempt', async () => {
  const world = new World({ trace: false });
  const { runtime } = world.process('a');
  const listeners: ((event: ChannelEvent) => void)[] = [];
  const database: Pick<PostgresDatabase, 'address' | 'listen'> = {
    address: 'pg',
    listen: async (_, listener) => {
      listeners.push(listener);
      return { close: () => undefined };
    },
  };
  await world.run(async () => {
    const host = { runtime, label: 'a', emit: () => undefined };
    const releases = new Releases(database, host);
    const wakeUp = new WakeUp(releases, 'payload');
    const { signal } = new AbortController();
    await wakeUp.changed(signal);

    listeners[0]?.({ kind: 'gap' });
    wakeUp.restart();
    await world.advance(RETRY_MS);
    releases.add('of another waiter', () => undefined);
    // The attempt may have seen a holder whose release nobody heard.
    await releases.live();
    await wakeUp.changed(signal);

    expect(listeners).toHaveLength(2);
    expect(wakeUp.hasChanged).toBe(true);
    wakeUp.close();
  });
});
