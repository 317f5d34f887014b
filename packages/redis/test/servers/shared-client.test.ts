import { ConfigError } from '@holdfast/core';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import { openRedisNode } from '../../src/index.ts';
import { failure, runtime } from '../kit/real-node.ts';

test('a client that is not connected is not shared: waiting for it would not keep the process alive', async () => {
  const ended = new Redis({
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    lazyConnect: true,
  });
  ended.disconnect();
  const unconnected = createClient({ disableOfflineQueue: true });

  for (const client of [ended, unconnected]) {
    const { message } = await failure(
      openRedisNode({ client, shareClient: true }, { runtime }),
      ConfigError,
    );
    expect(message).toContain('connect()');
  }
});

test('an ioredis client of another database is not used as it is: a refused SELECT would leave it in database 0', async () => {
  const client = new Redis({
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    lazyConnect: true,
    db: 3,
  });

  const { message } = await failure(
    openRedisNode({ client, shareClient: true }, { runtime }),
    ConfigError,
  );

  expect(message).toContain('db (must be 0)');
});
