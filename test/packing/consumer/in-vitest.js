/* global test, expect */
import { LockTimeoutError, openLocks } from 'holdfast';

test('a lock in Vitest', async () => {
  const locks = await openLocks({ backend: 'memory' });
  const lease = await locks.acquire('orders/42');
  await expect(locks.acquire('orders/42', { waitMs: 0 })).rejects.toThrow(LockTimeoutError);
  await lease.release();
  await locks.close();
});
