// The same from JavaScript. What `import` loads has to be the same copy, or its errors are of other classes.
const { LockTimeoutError, openLocks } = require('holdfast');

async function main() {
  const locks = await openLocks(process.argv[2] ?? 'memory:');
  const said = await locks.use('orders/42', async (lease) => `held ${lease.key}`);
  await locks.close();
  const imported = await import('holdfast');
  console.log(`${said}, ${imported.LockTimeoutError === LockTimeoutError ? 'one copy' : 'two'}`);
}

void main();
