import { describe, expect, test } from 'vitest';
import { openRedlock } from '../src/open.ts';
import { Bench } from './support/bench.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

/** A backend in the plain layout over the nodes of a bench. */
async function plain({ nodes, host }: Bench): ReturnType<typeof openRedlock> {
  return await openRedlock({ nodes, layout: 'plain' }, host);
}

describe('in the plain layout', () => {
  test('the vote of a node is the very key that the user named', async () => {
    const at = await Bench.open(3);
    const asked: unknown[] = [];
    for (const node of at.nodes) {
      const script = node.script.bind(node);
      node.script = (named, keys, args, options) => {
        asked.push([named.name, ...keys]);
        return script(named, keys, args, options);
      };
    }
    const backend = await plain(at);
    asked.length = 0;

    await backend.contend({ key: 'mutex:orders', contender: 'a' }).attempt(FOREVER_MS);

    expect(asked).toEqual(at.nodes.map(() => ['acquire', 'mutex:orders']));
  });

  test.each([
    ['that ends is waited for as long as it lasts', 60, 60],
    ['that never ends is waited for without an end in sight', -1, undefined],
  ])('a vote of another client %s', async (_, reply, holderRemainingMs) => {
    const at = await Bench.open(3);
    const backend = await plain(at);
    for (const node of at.nodes) node.strange = reply;

    const attempt = await backend.contend({ key: 'k', contender: 'a' }).attempt(FOREVER_MS);

    expect(attempt).toMatchObject({ kind: 'busy', holderRemainingMs });
  });

  test('waiters poll, since other libraries report no release', async () => {
    const at = await Bench.open(3);

    expect(at.backend.capabilities.wakeUp).toBe('push');
    expect((await plain(at)).capabilities).toEqual({ ...at.backend.capabilities, wakeUp: 'poll' });
  });
});
