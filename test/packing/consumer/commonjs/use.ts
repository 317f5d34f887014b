// A project in CommonJS: TypeScript turns these imports into calls of `require`.
import { type Lease, LockTimeoutError, openLocks } from 'holdfast';

async function main(): Promise<void> {
  const locks = await openLocks('memory:', { require: ['fencing'] });
  const token: bigint = await locks.use('orders/42', (lease) => lease.fencingToken);
  const lease: Lease<bigint> = await locks.acquire('orders/42');
  const waited = await locks.acquire('orders/42', { waitMs: 0 }).catch((error: unknown) => error);
  await lease.release();
  await locks.close();
  console.log(token > 0n && waited instanceof LockTimeoutError ? 'types and locks work' : 'wrong');
}

void main();
