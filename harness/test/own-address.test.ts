import { expect, test } from 'vitest';
import { proxiedUrls } from '../src/lab/own/own-address.ts';

test.each([
  ['zk://a:2181,b', 'zk://127.0.0.1:1,127.0.0.1:2'],
  ['zk://me:p%40ss@a:2181,b/locks/all', 'zk://me:p%40ss@127.0.0.1:1,127.0.0.1:2/locks/all'],
  ['zk://me:p@ss@a/locks?sessionTimeout=9000', 'zk://me:p@ss@127.0.0.1:1,127.0.0.1:2/locks'],
  ['zk://[::1]:2181?sessionTimeout=9000', 'zk://127.0.0.1:1,127.0.0.1:2'],
])('%s leads through proxies by its ports alone: %s', (url, through) => {
  expect(proxiedUrls(url, [1, 2])).toBe(through);
});
