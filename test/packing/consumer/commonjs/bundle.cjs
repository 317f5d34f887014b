// bundle.js, as a project in CommonJS writes it.
const { openLocks } = require('holdfast');

async function main() {
  const locks = await openLocks({ backend: 'memory' });
  await locks.use('orders/42', (lease) => console.log(`held ${lease.key}`));
  await locks.close();
  for (const [url, options] of [
    ['redis://127.0.0.1:1', { library: 'ioredis' }],
    ['redis://127.0.0.1:1', { library: 'redis' }],
    ['zk://127.0.0.1:1', { client: 'zookeeper' }],
  ]) {
    const backend = url.startsWith('zk') ? 'zk' : 'redis-simple';
    const config = { backend, url, ...options };
    await openLocks(config).catch(({ name, message }) => console.log(`${name}: ${message}`));
  }
}

void main();
