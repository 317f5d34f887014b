import { NodeDoubt, NodeReplyError, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { SimpleGrant } from '../src/grant.ts';
import { ModeGrant } from '../src/modes/grant.ts';
import { Renewals } from '../src/renewals.ts';
import { modeKeys, storedKeys } from '../src/store.ts';
import { type Bench, bench, type ScriptedCall } from './support/scripted-node.ts';

const TTL_MS = 1_000;

/** Leases on a key each, whose renewals go together. */
function grants({ store, runtime }: Bench, count: number): SimpleGrant[] {
  return Array.from({ length: count }, (_, at) => {
    const keys = storedKeys('holdfast', `k${at}`);
    const won = { keys, owner: `c${at}:1:box`, from: runtime.now(), ttlMs: TTL_MS };
    return new SimpleGrant(store, won);
  });
}

function renewAll(all: readonly Pick<SimpleGrant, 'renew'>[]): Promise<string[]> {
  return Promise.all(all.map(async (grant) => (await grant.renew(TTL_MS)).kind));
}

/** Answers a call for several with `together`, and one for a single hold with what `alone` has for its owner value. */
function answering(
  { node }: Bench,
  together: Reply | Error,
  alone: Readonly<Record<string, Reply | Error>> = {},
): void {
  node.answer = ({ name, args }: ScriptedCall) => {
    const reply = name === 'renew-all' ? together : (alone[args[0] ?? ''] ?? 1);
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
}

const namesOf = ({ node }: Bench): string[] => node.calls.map(({ name }) => name);

test('renewals that are due together go in one call, each with its owner value', async () => {
  const at = bench();
  answering(at, [1, 1, 1]);

  expect(await renewAll(grants(at, 3))).toEqual(['renewed', 'renewed', 'renewed']);
  expect(at.node.calls).toMatchObject([
    {
      name: 'renew-all',
      keys: [
        'holdfast:v1:{k0}:channel',
        'holdfast:v1:{k0}:lock',
        'holdfast:v1:{k1}:lock',
        'holdfast:v1:{k2}:lock',
      ],
      args: ['1000', 'c0:1:box', 'c1:1:box', 'c2:1:box'],
      options: { deadlineMs: at.runtime.now().monotonicMs + TTL_MS / 10 },
    },
  ]);
});

test('one alone is sent as ever, and so are those of different ttls and different moments', async () => {
  const at = bench();
  const [a, b, c] = grants(at, 3) as [SimpleGrant, SimpleGrant, SimpleGrant];
  answering(at, [1, 1]);

  await Promise.all([a.renew(1_000), b.renew(2_000)]);
  await c.renew(1_000);

  expect(namesOf(at)).toEqual(['renew', 'renew', 'renew']);
});

test('no call has more than 128 holds', async () => {
  const at = bench();
  at.node.answer = ({ keys }) => Promise.resolve(keys.slice(1).map(() => 1));

  await renewAll(grants(at, 300));

  expect(at.node.calls.map(({ args }) => args.length - 1)).toEqual([128, 128, 44]);
});

test('a hold is gone only if the reply to a call of its own says so', async () => {
  const at = bench();
  answering(at, [1, 0, 0, 0], { 'c1:1:box': 0, 'c2:1:box': new NodeReplyError('WRONGTYPE', '') });

  expect(await renewAll(grants(at, 4))).toEqual(['renewed', 'lost', 'lost', 'renewed']);
  expect(namesOf(at)).toEqual(['renew-all', 'renew', 'renew', 'renew']);
});

test.each(['NOPERM', 'CROSSSLOT'])(
  'after %s for all, each is renewed alone, and so are the next ones',
  async (code) => {
    const at = bench();
    const refusal = new NodeReplyError(code, code);
    const all = grants(at, 3);
    answering(at, refusal, { 'c1:1:box': refusal });

    expect(await renewAll(all)).toEqual(['renewed', 'unknown', 'renewed']);
    await renewAll(all);
    expect(namesOf(at)).toEqual(['renew-all', ...Array.from({ length: 6 }, () => 'renew')]);
  },
);

test.each<[string, Reply | Error, string[]]>([
  ['a hold is gone', [1, 0], ['renewed', 'lost']],
  ['the keys are refused', new NodeReplyError('NOPERM', ''), ['unknown', 'unknown']],
])('once closed, a reply that %s leads to no further call', async (_, reply, kinds) => {
  const at = bench();
  at.node.answer = () => {
    at.store.renewals.close();
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };

  expect(await renewAll(grants(at, 2))).toEqual(kinds);
  expect(namesOf(at)).toEqual(['renew-all']);
});

test('the first of a great crowd leave before the last has asked', () => {
  const at = bench();
  const all = grants(at, 200);

  for (const grant of all) void grant.renew(TTL_MS);

  expect(at.node.calls.map(({ args }) => args.length - 1)).toEqual([128]);
});

test.each([
  ['no reply came', new NodeDoubt('no reply', 'none', Promise.resolve(false))],
  ['nothing could be sent', new NodeUnavailable('not connected')],
  ['the node is a replica now', new NodeReplyError('READONLY', 'READONLY …')],
  ['the reply has too few', [1]],
  ['the reply is no list', 1],
])('all are in doubt, and none is sent again, when %s', async (_, reply) => {
  const at = bench();
  answering(at, reply);

  expect(await renewAll(grants(at, 2))).toEqual(['unknown', 'unknown']);
  expect(namesOf(at)).toEqual(['renew-all']);
  expect(at.events).toMatchObject([
    { type: 'node', key: 'k0' },
    { type: 'node', key: 'k1' },
  ]);
});

test('with waitReplicas each is sent alone, since the replicas have to have it', async () => {
  const at = bench(1);
  answering(at, [1, 1]);

  expect(await renewAll(grants(at, 2))).toEqual(['renewed', 'renewed']);
  expect(namesOf(at)).toEqual(['renew', 'renew']);
});

test('on a cluster each is sent alone, since its masters share the keys', async () => {
  const at = bench();
  const cluster = {
    sharesSlot: () => false,
    masters: () => Promise.resolve([]),
    check: () => Promise.resolve(),
  };
  const renewals = new Renewals({ node: Object.assign(at.node, { cluster }), host: at.host });
  answering(at, [1, 1]);
  const holds = ['a', 'b'].map((key) => ({ keys: storedKeys('holdfast', key), owner: 'c:1:box' }));

  const areHeld = await Promise.all(holds.map((hold) => renewals.renew(hold, TTL_MS, TTL_MS)));

  expect(areHeld).toEqual([true, true]);
  expect(namesOf(at)).toEqual(['renew', 'renew']);
});

/** Readers of one key, or of one for each. */
function readers({ store, runtime }: Bench, ...keys: readonly string[]): ModeGrant[] {
  return keys.map((key, n) => {
    const owner = `c${n}:1:box`;
    const hold = { keys: modeKeys('holdfast', key), stored: `1/0/${owner}`, owner };
    const won = { ...hold, from: runtime.now(), ttlMs: TTL_MS, fencingToken: 7n };
    return new ModeGrant(store, won);
  });
}

test('readers of one key that are due together are renewed by one call', async () => {
  const at = bench();
  at.node.answer = ({ args }) => Promise.resolve(args.slice(1).map((_, n) => (n === 1 ? 0 : 1)));

  const kinds = await renewAll(readers(at, 'a', 'a', 'b', 'a'));

  expect(kinds).toEqual(['renewed', 'lost', 'renewed', 'renewed']);
  expect(at.node.calls.map(({ args }) => args)).toEqual([
    ['1000', '1/0/c0:1:box', '1/0/c1:1:box', '1/0/c3:1:box'],
    ['1000', '1/0/c2:1:box'],
  ]);
});

test.each<[string, Reply | Error]>([
  ['no reply came', new NodeDoubt('no reply', 'none', Promise.resolve(false))],
  ['the server refused it', new NodeReplyError('READONLY', 'READONLY …')],
  ['the reply has too few', [1]],
  ['the reply has something else', [2, 2]],
  ['the reply is no list', 1],
])('all readers are in doubt when %s', async (_, reply) => {
  const at = bench();
  at.node.answer = () => (reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply));

  expect(await renewAll(readers(at, 'a', 'a'))).toEqual(['unknown', 'unknown']);
  expect(at.node.calls).toHaveLength(1);
});
