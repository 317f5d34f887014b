/* global test, expect */
const { LockTimeoutError, openLocks } = require('holdfast');

test('a lock in Jest', async () => {
  const locks = await openLocks({ backend: 'memory' });
  const lease = await locks.acquire('orders/42');
  await expect(locks.acquire('orders/42', { waitMs: 0 })).rejects.toThrow(LockTimeoutError);
  await lease.release();
  await locks.close();
});

test('a client library in Jest', async () => {
  const locks = await openLocks('redis://127.0.0.1:1');
  await expect(locks.acquire('orders/42', { waitMs: 0 })).rejects.toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
  });
  await locks.close();
});
