import { describe, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { OptionError } from '../src/errors.ts';
import type { NetworkSessionOptions } from '../src/options.ts';
import { checkedServers, shuffled } from '../src/servers.ts';
import { systemNetwork } from '../src/socket.ts';
import { rejection, Stage } from './by-hand.ts';

describe('servers', () => {
  test.each([
    ['zk1', 'zk1', 2181],
    ['zk1:2182', 'zk1', 2182],
    ['127.0.0.1:1', '127.0.0.1', 1],
    ['[::1]:2182', '::1', 2182],
    ['[::1]', '::1', 2181],
    ['fe80::1', 'fe80::1', 2181],
  ])('%s is a server', (text, host, port) => {
    expect(checkedServers([text])).toMatchObject([{ host, port }]);
  });

  test('named twice counts once', () => {
    expect(checkedServers(['a', { host: 'a' }, 'a:2181', 'b'])).toHaveLength(2);
  });

  test.each(['', ':2181', 'a:', 'a:0', 'a:65536', 'a:b', 'a b', 'zk://a:1', 'u:secret@h:1', 'a/b'])(
    '%j is none, and the error does not repeat what may hold a password',
    (text) => {
      expect(() => checkedServers([text])).toThrow(OptionError);
      expect(() => checkedServers([text])).not.toThrow(/secret/);
    },
  );
});

test('clients spread over the servers, and each tries them all', () => {
  const servers = ['a', 'b', 'c'];

  const orders = Array.from({ length: 300 }, () => shuffled(servers, systemClock));

  expect(new Set(orders.map((order) => order.join())).size).toBe(6);
  expect(orders.every((order) => order.toSorted().join() === 'a,b,c')).toBe(true);
});

test.each<[string, Partial<NetworkSessionOptions>]>([
  ['servers must be a list', { servers: [] }],
  ['chroot', { chroot: 'app' }],
  ['chroot', { chroot: '/app/' }],
  ['sessionTimeoutMs', { sessionTimeoutMs: 0 }],
  ['sessionTimeoutMs', { sessionTimeoutMs: 1.5 }],
  ['sessionTimeoutMs', { sessionTimeoutMs: 2 ** 31 }],
  ['openMs', { openMs: -1 }],
  ['deadlineMs', { deadlineMs: Number.NaN }],
  ['frameBytesMax', { frameBytesMax: 0 }],
  ['auth', { auth: [{ scheme: '', auth: 'x' }] }],
  ['tls', { network: systemNetwork({ ca: 'no certificate', cert: 'none', key: 'none' }) }],
])('a wrong %s is refused before anything is dialled: %o', async (name, options) => {
  const stage = new Stage();

  const error = await rejection(stage.begin(options), OptionError);

  expect(error.message).toContain(name);
  expect(stage.wires).toEqual([]);
});
