import type { ZooKeeperSession } from '@holdfast/zk/port';
import { expect, test } from 'vitest';
import {
  inSimulation,
  type OnStage,
  onRealServer,
  TICK_MS,
  TIMEOUT_MS,
} from './support/zookeeper-session-stages.ts';

const STAGES: readonly (readonly [string, OnStage])[] = [
  ['on a real server', onRealServer],
  ['in simulation', inSimulation],
];

function statesOf(session: ZooKeeperSession): string[] {
  const states: string[] = [];
  session.onState((state) => states.push(state));
  return states;
}

function ephemeral(session: ZooKeeperSession, path: string): Promise<unknown> {
  return session.create(path, '', { mode: 'ephemeral' });
}

async function outcome(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return 'code' in error ? String(error.code) : error.name;
  }
}

test.for(STAGES)(
  'a session that cannot reach its server ends by its timeout, and learns that afterwards: %s',
  ([, onStage]) =>
    onStage(async ({ watcher, client, until, timed, cut, heal }) => {
      await ephemeral(client, '/e');
      let gone = false;
      await watcher.existsWatch('/e', () => {
        gone = true;
      });
      const states = statesOf(client);
      cut('both');
      const doubtful = outcome(client.setData('/e', 'late'));
      const tookMs = await timed(() => until(() => gone));
      expect(await doubtful).toBe('SessionDoubt');
      expect(states).toEqual(['disconnected']);
      expect(await outcome(client.read('/e'))).toBe('SessionUnavailable');
      heal();
      await until(() => client.state === 'expired');

      // The last ping may have been a third of T ago.
      expect(tookMs).toBeGreaterThan((TIMEOUT_MS * 2) / 3 - TICK_MS);
      expect(states).toEqual(['disconnected', 'expired']);
      expect(await outcome(client.read('/e'))).toBe('SessionUnavailable');
    }),
);

test.for(STAGES)(
  'a server that was down for longer than T has the session back, with all it had: %s',
  ([, onStage]) =>
    onStage(async ({ watcher, client, until, restart }) => {
      await ephemeral(client, '/e');
      const { id } = client;
      const states = statesOf(client);
      await restart(TIMEOUT_MS + 500);
      await until(() => client.state === 'connected' && watcher.state === 'connected');

      expect([states, client.id]).toEqual([['disconnected', 'connected'], id]);
      expect((await watcher.read('/e')).stat.ephemeralOwner).toBe(id);
    }),
);

test.for(STAGES)(
  'a server that was paused for less than T costs the connection, and not the session: %s',
  ([, onStage]) =>
    onStage(async ({ client, until, freeze }) => {
      await ephemeral(client, '/e');
      const { id } = client;
      const states = statesOf(client);
      await freeze(TIMEOUT_MS * 0.85);
      await until(() => client.state === 'connected');

      expect([states, client.id]).toEqual([['disconnected', 'connected'], id]);
      expect(await outcome(client.read('/e'))).toBe('done');
    }),
);

test.for(STAGES)('a write whose answer was lost is in doubt, and was done: %s', ([, onStage]) =>
  onStage(async ({ watcher, client, until, cut, heal, reset }) => {
    const { id } = client;
    let seen = false;
    await watcher.existsWatch('/e', () => {
      seen = true;
    });
    cut('replies');
    const doubtful = outcome(ephemeral(client, '/e'));
    await until(() => seen);
    reset();
    heal();
    expect(await doubtful).toBe('SessionDoubt');
    await until(() => client.state === 'connected');

    expect([client.id, (await client.read('/e')).stat.ephemeralOwner]).toEqual([id, id]);
  }),
);

test.for(STAGES)(
  'a session that is closed is gone at once, and so is what it had: %s',
  ([, onStage]) =>
    onStage(async ({ watcher, client }) => {
      await ephemeral(client, '/e');
      let gone = false;
      let ended = false;
      await watcher.existsWatch('/e', () => {
        gone = true;
      });
      await client.existsWatch('/other', () => {
        ended = true;
      });
      const states = statesOf(client);
      await client.close();
      await watcher.sync('/');

      expect([gone, ended, states]).toEqual([true, true, ['closed']]);
      expect(await outcome(watcher.read('/e'))).toBe('NONODE');
      expect(await outcome(client.read('/e'))).toBe('SessionUnavailable');
    }),
);

test.for(STAGES)(
  'changes while a client was away are reported when it is back, and other nodes are still watched: %s',
  ([, onStage]) =>
    onStage(async ({ watcher, client, until, cut, heal, reset }) => {
      const persistent = (path: string) => watcher.create(path, '', { mode: 'persistent' });
      for (const path of ['/changed', '/deleted', '/same']) await persistent(path);
      const fired: string[] = [];
      for (const path of ['/changed', '/deleted', '/same', '/created', '/absent'])
        await client.existsWatch(path, () => void fired.push(path));
      cut('both');
      reset();
      await watcher.setData('/changed', 'new');
      await watcher.delete('/deleted');
      await persistent('/created');
      expect(fired).toEqual([]);
      heal();
      await until(() => client.state === 'connected' && fired.length === 3);
      expect(fired.toSorted()).toEqual(['/changed', '/created', '/deleted']);
      await watcher.delete('/same');
      await persistent('/absent');
      await until(() => fired.length === 5);

      expect(fired.slice(3)).toEqual(['/same', '/absent']);
    }),
);
