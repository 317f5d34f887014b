import { ConfigError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { parseClusterUrl } from '../src/cluster/cluster-url.ts';
import { parseHostPort, translated } from '../src/cluster/host-port.ts';
import { redirectIn } from '../src/cluster/redirect.ts';
import { keyOfCommand, onCluster, undoArgs } from '../src/cluster/routing.ts';
import { slotOf } from '../src/cluster/slot.ts';
import { isForeign, parseSlots } from '../src/cluster/topology.ts';
import { NodeReplyError } from '../src/port.ts';

test.each([
  // The check value of CRC16/XMODEM in the specification of Redis Cluster, modulo 16 384.
  ['123456789', 0x31_c3],
  ['', 0],
  ['foo', 12_182],
  ['{foo}.bar', 12_182],
  ['a{foo}{bar}', 12_182],
])('the slot of %j is %i', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});

test('an empty or open hash tag is none, and the first brace counts', () => {
  expect(slotOf('{}foo')).not.toBe(slotOf('foo'));
  expect(slotOf('{foo')).not.toBe(slotOf('foo'));
  expect(slotOf('{{foo}}')).toBe(slotOf('{foo'));
  expect(slotOf('{ü😀}x')).toBe(slotOf('ü😀'));
});

describe('the URL of a cluster', () => {
  test('lists nodes, with one log-in for all', () => {
    expect(parseClusterUrl('rediss+cluster://me:p%40ss@a:7000,[::1]:7001,c')).toEqual(
      [
        { host: 'a', port: 7_000 },
        { host: '::1', port: 7_001 },
        { host: 'c', port: 6_379 },
      ].map((place) => ({ ...place, db: 0, isTls: true, username: 'me', password: 'p@ss' })),
    );
    expect(parseClusterUrl('redis+cluster://a/0')).toMatchObject([{ host: 'a', isTls: false }]);
  });

  test.each([
    ['no host', 'redis+cluster://:secret-1@'],
    ['an empty host', 'redis+cluster://:secret-1@a,,b'],
    ['a database', 'redis+cluster://:secret-1@a,b/2'],
    ['a port that is none', 'redis+cluster://:secret-1@a:x,b'],
    ['a log-in for each host', 'redis+cluster://:secret-1@a:1,:secret-1@b:2'],
    ['parameters', 'redis+cluster://:secret-1@a?b=secret-1'],
  ])('with %s is refused without being quoted', (_what, url) => {
    const parse = (): unknown => parseClusterUrl(url);
    expect(parse).toThrow(ConfigError);
    expect(parse).not.toThrow(/secret/);
  });
});

test('a place is host and port, and a natMap translates it', () => {
  expect(parseHostPort('[fe80::1]:7000')).toEqual({ host: 'fe80::1', port: 7_000 });
  expect(parseHostPort('fe80::1:7000')).toEqual({ host: 'fe80::1', port: 7_000 });
  expect(parseHostPort(':7000')).toEqual({ host: '', port: 7_000 });
  expect(parseHostPort('host')).toBeUndefined();
  const inside = { host: '10.0.0.1', port: 6_379 };
  const outside = { host: 'nat', port: 7_000 };
  expect(translated(inside, { '10.0.0.1:6379': outside })).toEqual(outside);
  expect(translated(inside, (address) => (address === '10.0.0.1:6379' ? outside : null))).toEqual(
    outside,
  );
  expect(translated(inside, { other: outside })).toEqual(inside);
});

const error = (text: string): NodeReplyError => new NodeReplyError(text.split(' ')[0] ?? '', text);

test('only MOVED and ASK are redirects', () => {
  const to = { host: '10.0.0.1', port: 6_379 };
  expect(redirectIn(error('MOVED 3999 10.0.0.1:6379'))).toEqual({ kind: 'moved', slot: 3_999, to });
  expect(redirectIn(error('ASK 3999 10.0.0.1:6379'))).toEqual({ kind: 'ask', slot: 3_999, to });
  expect(redirectIn(error('MOVED 3999 :6379'))).toMatchObject({ to: { host: '' } });
  expect(redirectIn(error('TRYAGAIN Multiple keys request'))).toBeUndefined();
  expect(redirectIn(error('CLUSTERDOWN The cluster is down'))).toBeUndefined();
  expect(redirectIn(new Error('MOVED 3999 10.0.0.1:6379'))).toBeUndefined();
});

test('the first key of a command decides; commands about the server have none', () => {
  expect(keyOfCommand(['GET', 'k'])).toBe('k');
  expect(keyOfCommand(['EVALSHA', 'x', '2', 'a', 'b', 'c'])).toBe('a');
  expect(keyOfCommand(['EVAL', 'x', '0', 'a'])).toBeUndefined();
  expect(keyOfCommand(['hello'])).toBeUndefined();
});

test('a script has its own form on a cluster, and its undo the same', () => {
  const script = { name: 's', source: 'A', onCluster: { source: 'B', keys: 1 } };
  const call = { script, keys: ['k', 'channel'], args: ['owner'] };
  const form = onCluster(call);
  expect(form).toMatchObject({ script: { source: 'B' }, keys: ['k'], args: ['channel', 'owner'] });
  expect(onCluster(call).script).toBe(form.script);
  const undo = { args: ['EVAL', 'A', '2', 'k', 'channel', 'owner'], keepUntilMs: 1, script };
  expect(undoArgs(undo)).toEqual(['EVAL', 'B', '1', 'k', 'channel', 'owner']);
  expect(undoArgs({ ...undo, script: undefined })).toBe(undo.args);
});

describe('the reply to CLUSTER SLOTS', () => {
  const reply = [
    [0, 1, ['a', 1, 'id-a', []], ['b', 2, 'id-b', []]],
    [3, 3, [null, 4, 'id-c']],
  ];

  test('says who serves which slot', () => {
    const { owners, masters, replicas, ids } = parseSlots(reply, (at) => `${at.host}:${at.port}`);
    expect([0, 1, 2, 3, 4].map((slot) => owners.of(slot))).toEqual([
      'a:1',
      'a:1',
      undefined,
      ':4',
      undefined,
    ]);
    expect(owners.unserved).toBe(16_384 - 3);
    owners.move(2, 'b:1');
    owners.move(0, 'b:1');
    expect([0, 1, 2].map((slot) => owners.of(slot))).toEqual(['b:1', 'a:1', 'b:1']);
    expect(owners.unserved).toBe(16_384 - 4);
    expect(masters).toEqual(['a:1', ':4']);
    expect(replicas).toEqual(['b:2']);
    expect([...ids]).toEqual(['id-a', 'id-b', 'id-c']);
  });

  test.each([['OK'], [[['0', 1]]], [[[0, 1, 'a']]], [[[0, 1, ['a', 1]]]]])(
    'of another shape proves nothing: %j',
    (other) => {
      expect(() => parseSlots(other, () => '')).toThrow(/unexpected reply/);
    },
  );

  test('of another cluster names no node that is known', () => {
    expect(isForeign(new Set(['a']), new Set(['b']))).toBe(true);
    expect(isForeign(new Set(['a', 'b']), new Set(['b']))).toBe(false);
    expect(isForeign(new Set(['a']), new Set())).toBe(false);
  });
});
