// The same from JavaScript, over Redis' own client library where there is a server.
import { openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:');
const said = await locks.use('orders/42', async (lease) => `held ${lease.key}`);
await locks.close();

console.log(said);
