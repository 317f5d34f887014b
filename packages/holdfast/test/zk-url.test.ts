import { expect, test } from 'vitest';
import { parseZkUrl } from '../src/backends/zk.ts';

const nothing = { chroot: undefined, auth: undefined, sessionTimeoutMs: undefined };

test.for([
  ['zk://localhost', { ...nothing, servers: ['localhost:2181'] }],
  ['ZK://a,b:1,[::1]:2', { ...nothing, servers: ['a:2181', 'b:1', '[::1]:2'] }],
  ['zk://a/', { ...nothing, servers: ['a:2181'] }],
  ['zk://a/locks/for%20us', { ...nothing, servers: ['a:2181'], chroot: '/locks/for us' }],
  ['zk://a?sessionTimeout=4000', { ...nothing, servers: ['a:2181'], sessionTimeoutMs: 4_000 }],
  [
    'zk://us%C3%A9r:p@ss%2Fword@a,b/c?sessionTimeout=100',
    {
      servers: ['a:2181', 'b:2181'],
      chroot: '/c',
      auth: { user: 'usér', password: 'p@ss/word' },
      sessionTimeoutMs: 100,
    },
  ],
] as const)('%s says %j', ([url, target]) => {
  expect(parseZkUrl(url)).toEqual(target);
});

test.for([
  ['zk:localhost', 'must be a URL such as zk://'],
  ['zk://', 'must name every server'],
  ['zk://a,,b', 'must name every server'],
  ['zk://a:nowhere', 'must name every server'],
  ['zk://a:65536', 'must name every server'],
  ['zk://u%3Asecret%40h', 'must name every server'],
  ['zk://::1', 'must name every server'],
  ['zk://a//b', 'must have a chroot such as'],
  ['zk://a/b/', 'must have a chroot such as'],
  ['zk://a/../b', 'must have a chroot such as'],
  ['zk://a/%2E%2E/b', 'must have a chroot such as'],
  ['zk://a/b%2Fc', 'must have a chroot such as'],
  ['zk://a/%', 'must be percent-encoded'],
  ['zk://secret@a', 'must have credentials of the form user:password'],
  ['zk://u:123/secret@a', 'must be a URL such as zk://'],
  ['zk://u%3A:secret@a', 'must have a user without'],
  ['zk://u:secret%@a', 'must be percent-encoded'],
  ['zk://a?sessionTimeout=99', 'may have no parameter except sessionTimeout='],
  ['zk://a?sessionTimeout=4s', 'may have no parameter except sessionTimeout='],
  ['zk://a?timeout=secret', 'may have no parameter except sessionTimeout='],
])('%s: %s', ([url, rule]) => {
  const refused = expect.objectContaining({
    name: 'ZkUrlError',
    message: expect.stringMatching(new RegExp(`^${rule}(?!.*secret)`)),
  });

  expect(() => parseZkUrl(url ?? '')).toThrow(refused);
});
