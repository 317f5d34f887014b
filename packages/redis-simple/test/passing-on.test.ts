import { NodeDoubt, NodeReplyError, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { PassableGrant, SimpleGrant } from '../src/grant.ts';
import { plainKeys, storedKeys } from '../src/store.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

const TTL_MS = 30_000;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const TOKENS = ['1700000000000000', '1700000000000001'] as const;
const GONE = 'gone' as unknown as Reply;

function contend({ store }: Bench, contender: string): SimpleContender {
  return new SimpleContender(store, KEYS, contender, TTL_MS);
}

async function held(at: Bench): Promise<PassableGrant> {
  const attempt = await contend(at, 'c1').attempt(FOREVER_MS);
  if (attempt.kind !== 'granted' || !(attempt.grant instanceof PassableGrant))
    throw new Error(`it was ${attempt.kind}`);
  return attempt.grant;
}

/** The next calls are answered so, in order. */
function answers(at: Bench, ...replies: readonly (Reply | Error)[]): void {
  const left = [...replies];
  at.node.calls.length = 0;
  at.node.answer = () => {
    const reply = left.shift() ?? 1;
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
}

const namesOf = ({ node }: Bench): string[] => node.calls.map(({ name }) => name);

test('the next attempt replaces the hold by one script, which names both owner values', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, TOKENS[1]);

  const released = grant.releaseToNext();
  const attempt = await contend(at, 'c2').attempt(FOREVER_MS);

  expect(attempt).toMatchObject({ kind: 'granted', grant: { owner: 'c2:1:box:1' } });
  expect(await released).toEqual({ kind: 'released' });
  expect(at.node.calls).toMatchObject([
    { name: 'adopt', args: ['c2:1:box:1', `${TTL_MS}`, 'c1:1:box:1'] },
  ]);
  expect(at.node.calls[0]?.options.undo?.args.at(-1)).toBe('c2:1:box:1');
});

test('an attempt for another key, or a later one, replaces nothing: the hold is released alone', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, TOKENS[1], 1);

  const released = grant.releaseToNext();
  const other = new SimpleContender(at.store, storedKeys('holdfast', 'other'), 'c2', TTL_MS);
  await other.attempt(FOREVER_MS);

  expect(await released).toEqual({ kind: 'released' });
  expect(namesOf(at)).toEqual(['acquire', 'release']);
});

test('a hold that is gone was not held, and the attempt is made as any other', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, GONE, 700);

  const released = grant.releaseToNext();
  const attempt = await contend(at, 'c2').attempt(FOREVER_MS);

  expect(attempt).toMatchObject({ kind: 'busy', holderRemainingMs: 700 });
  expect(await released).toEqual({ kind: 'not-held' });
  expect(namesOf(at)).toEqual(['adopt', 'acquire']);
});

test.each<[string, Reply | Error, string]>([
  ['was never sent', new NodeUnavailable('no connection'), 'unavailable'],
  ['the server refused', new NodeReplyError('NOPERM', 'NOPERM no'), 'refused'],
  ['found a foreign fence', -3, 'refused'],
])('of a call that %s the hold is released alone', async (_, reply, kind) => {
  const at = bench();
  const grant = await held(at);
  answers(at, reply, 1);

  const released = grant.releaseToNext();
  const attempt = await contend(at, 'c2').attempt(FOREVER_MS);

  expect(attempt.kind).toBe(kind);
  expect(await released).toEqual({ kind: 'released' });
  expect(namesOf(at)).toEqual(['adopt', 'release']);
});

test('of a call without a reply both outcomes are unknown, and the hold is released later', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, new NodeDoubt('no reply', 'none', Promise.resolve(false)), 0, 1);

  const released = grant.releaseToNext();
  const contender = contend(at, 'c2');
  const attempt = await contender.attempt(FOREVER_MS);
  expect(attempt.kind).toBe('unknown');
  expect(await released).toMatchObject({ kind: 'unknown' });

  await contender.withdraw();
  await at.store.pendingReleases.close();
  expect(at.node.calls.slice(1).map(({ name, args }) => `${name} ${args.at(-1)}`)).toEqual(
    expect.arrayContaining(['release c2:1:box:1', 'release c1:1:box:1']),
  );
});

test('a reply that is none is doubt: both values are released later', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, 5_000, 1, 1);

  const released = grant.releaseToNext();
  const contender = contend(at, 'c2');
  const attempt = await contender.attempt(FOREVER_MS);

  expect(attempt.kind).toBe('unknown');
  expect(await released).toMatchObject({
    kind: 'unknown',
    cause: { message: expect.stringContaining('adopt') },
  });
  await contender.withdraw();
  await at.store.pendingReleases.close();
  expect(at.node.calls.slice(1).map(({ args }) => args.at(-1))).toEqual(
    expect.arrayContaining(['c2:1:box:1', 'c1:1:box:1']),
  );
});

test('behind a hold of another ttl the key is released first, each by its own time, and then acquired', async () => {
  const at = bench();
  const grant = await held(at);
  answers(at, 1, TOKENS[1]);
  const nowMs = at.runtime.now().monotonicMs;

  const released = grant.releaseToNext();
  const attempt = await new SimpleContender(at.store, KEYS, 'c2', 300).attempt(FOREVER_MS);

  expect(attempt.kind).toBe('granted');
  expect(await released).toEqual({ kind: 'released' });
  expect(namesOf(at)).toEqual(['release', 'acquire']);
  expect(at.node.calls.map(({ options }) => options.deadlineMs - nowMs)).toEqual([2_000, 30]);
});

test('two holds of one key that are released in one turn are both released', async () => {
  const at = bench();
  const [first, second] = [await held(at), await held(at)];
  answers(at, 0, 1);

  const released = [first.releaseToNext(), second.releaseToNext()];

  expect(await Promise.all(released)).toEqual([{ kind: 'not-held' }, { kind: 'released' }]);
});

test.each([
  ['replicas have to acknowledge', bench(1), KEYS, TOKENS[0]],
  ['other libraries read', bench(), plainKeys('holdfast', 'k'), 'acquired'],
] as const)('what %s is released for all', async (_, at, keys, reply) => {
  at.node.answer = () => Promise.resolve(reply);

  const attempt = await new SimpleContender(at.store, keys, 'c1', TTL_MS).attempt(FOREVER_MS);

  const grant = attempt.kind === 'granted' ? attempt.grant : undefined;
  expect(grant).toBeInstanceOf(SimpleGrant);
  expect(grant).not.toHaveProperty('releaseToNext');
});
