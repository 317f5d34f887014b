import { type Attempt, createHost } from '@holdfast/core/backend';
import { EXHIBITS, openExhibit } from '@holdfast/harness/exhibits';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';

/** A node that answers everything with this. */
function answering(reply: Reply): RedisNode {
  return {
    address: 'odd:6379',
    command: () => Promise.resolve(reply),
    script: () => Promise.resolve(reply),
    subscribe: () => new Promise(() => {}),
    close: () => Promise.resolve(),
  };
}

async function attemptOf(name: string, node: RedisNode): Promise<Attempt> {
  const backend = await openExhibit({ name, node }, createHost({ on: { warning: () => {} } }));
  return await backend.contend({ key: 'k', contender: 'c' }).attempt(Number.MAX_SAFE_INTEGER);
}

describe.each<Reply>(['QUEUED', '1', [], 2, -1, Number.NaN])('answered with %j', (reply) => {
  test.each(EXHIBITS)('an attempt of $name is a doubt', async ({ name }) => {
    expect((await attemptOf(name, answering(reply))).kind).toBe('unknown');
  });
});
