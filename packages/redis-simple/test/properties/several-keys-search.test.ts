import type { Backend } from '@holdfast/core/backend';
import { Network, SimRedisServer, simRedisNode } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import {
  latencyMs,
  type SeveralStore,
  several,
  type TakeAll,
} from '../../../core/test/kit/several.ts';
import { openRedisSimple } from '../../src/index.ts';
import { type Mutation, mutated } from '../support/mutated-node.ts';

const SCHEDULES = 40;
const takeAll: TakeAll = (locks, keys, options) => locks.acquire(keys, options);

/**
 * One Redis server, with messages of changing latency. Every second client takes one key after the other, as it would on a
 * store that has no script for several.
 */
function redisStore(mutation?: Mutation): Parameters<typeof several>[2] {
  return (world, draw): SeveralStore => {
    const network = new Network(world, { latencyMs: 0 });
    const server = new SimRedisServer(world, 'n1');
    const get = (key: string, what: string): string | undefined => {
      const value = server.engine.execute(['GET', `holdfast:v1:{${key}}:${what}`]);
      return typeof value === 'string' ? value : undefined;
    };
    network.rule(() => ({ delayMs: latencyMs(draw) }));
    let opened = 0;
    return {
      open: async (process, host) => {
        const node = simRedisNode(process, server, network);
        const backend = await openRedisSimple({ node: mutated(node, mutation) }, host);
        return opened++ % 2 === 0 ? backend : oneByOne(backend);
      },
      stored: (key) => {
        const owner = get(key, 'lock');
        return owner === undefined ? undefined : { owner, token: BigInt(get(key, 'fence') ?? 0) };
      },
    };
  };
}

function oneByOne(backend: Backend): Backend {
  const { name, capabilities } = backend;
  return {
    name,
    capabilities,
    contend: (request) => backend.contend(request),
    close: (options) => backend.close(options),
  };
}

test(`in ${SCHEDULES} schedules of clients that take keys in one step and one by one, every call settles, holds all or nothing, and excludes the others`, async () => {
  for (let seed = 0; seed < SCHEDULES; seed++)
    expect(await several(seed, takeAll, redisStore()), `several(${seed})`).toEqual([]);
});

test.each<[string, Mutation, RegExp]>([
  [
    'looks at the first key only',
    { script: 'acquire-all', was: 'if held then', is: 'if held and i == 1 then' },
    /believes to hold ., and does not/,
  ],
  [
    'takes a key that another contender holds',
    { script: 'acquire-all', was: 'holder ~= contender or', is: 'holder == "" or' },
    /believes to hold ., and does not/,
  ],
  [
    'writes all locks but the last',
    {
      script: 'acquire-all',
      was: 'for i = 1, #KEYS, 2 do\n  local written',
      is: 'for i = 1, #KEYS - 2, 2 do\n  local written',
    },
    /believes to hold ., and does not/,
  ],
  [
    'renews all but the last',
    {
      script: 'renew-all',
      was: 'for i = 2, #KEYS do',
      is: 'replies[#KEYS - 1] = 1 for i = 2, #KEYS - 1 do',
    },
    /believes to hold ., and does not/,
  ],
])('a script that %s is caught', async (_, mutation, complaint) => {
  const caught: string[] = [];
  for (let seed = 0; seed < 100 && caught.length === 0; seed++) {
    const wrong = await several(seed, takeAll, redisStore(mutation));
    caught.push(...wrong.filter((each) => complaint.test(each)));
  }

  expect(caught).not.toEqual([]);
});
