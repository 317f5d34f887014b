import { expect, test } from 'vitest';
import { parseEtcdUrl } from '../src/backends/etcd.ts';

test.for([
  ['etcd://localhost', { servers: ['localhost:2379'], auth: undefined }],
  ['ETCD://a,b:1,[::1]:2/', { servers: ['a:2379', 'b:1', '[::1]:2'], auth: undefined }],
  [
    'etcd://us%C3%A9r:p@ss%2Fw:rd@a,b',
    { servers: ['a:2379', 'b:2379'], auth: { user: 'usér', password: 'p@ss/w:rd' } },
  ],
] as const)('%s says %j', ([url, target]) => {
  expect(parseEtcdUrl(url)).toEqual(target);
});

test.for([
  ['etcd:localhost', 'must be a URL such as etcd://'],
  ['etcd://', 'must name every server'],
  ['etcd://a,,b', 'must name every server'],
  ['etcd://a:nowhere', 'must name every server'],
  ['etcd://a:0', 'must name every server'],
  ['etcd://a:65536', 'must name every server'],
  ['etcd://u%3Asecret%40h', 'must name every server'],
  ['etcd://::1', 'must name every server'],
  ['etcd://a/secret', 'must be a URL such as etcd://'],
  ['etcd://u:123/secret@a', 'must be a URL such as etcd://'],
  ['etcd://secret@a', 'must have credentials of the form user:password'],
  ['etcd://u:secret%@a', 'must be percent-encoded'],
  ['etcd://a?timeout=secret', 'may have no parameter'],
] as const)('%s: %s', ([url, rule]) => {
  const refused = expect.objectContaining({
    name: 'EtcdUrlError',
    message: expect.stringMatching(new RegExp(`^${rule}(?!.*secret)`)),
  });
  expect(() => parseEtcdUrl(url)).toThrow(refused);
});
