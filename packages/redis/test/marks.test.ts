import { expect, test } from 'vitest';
import { NodeReplyError, NodeUnavailable, type RedisNode } from '../src/port.ts';
import { redisMarks } from '../src/recipe/marks.ts';

function marksOf(failure: Error): ReturnType<typeof redisMarks> {
  const node = { address: 'n:1', command: () => Promise.reject(failure) } as unknown as RedisNode;
  return redisMarks(node, 'holdfast', 'my-lock');
}

test('a store that does not reply about a mark is unavailable, and no key is named that nobody asked for', async () => {
  const error: unknown = await marksOf(new NodeUnavailable('n:1: not connected'))
    .read('epoch', 1_000)
    .catch((cause: unknown) => cause);

  expect(error).toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
    message: 'my-lock: no reply about a mark of the store: n:1: not connected',
  });
  expect(error).not.toHaveProperty('key', expect.anything());
});

test('a refusal names the stored key, which an administrator has to allow', async () => {
  const reading = marksOf(new NodeReplyError('NOPERM', 'NOPERM no access')).read('epoch', 1_000);

  await expect(reading).rejects.toThrow('holdfast:v1:{}:mark:epoch');
});
