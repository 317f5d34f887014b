// A transfer needs two accounts. Whoever locks one and then the other meets, sooner or later, a transfer in the opposite
// direction: each holds what the other waits for. A list of keys is one lease on all of them, taken in one order.
//
// Run it: npm run example 09            or: npm run example 09 redis://localhost

import { setTimeout as work } from 'node:timers/promises';
import { openLocks } from 'holdfast';

const locks = await openLocks(process.argv[2] ?? 'memory:');
const balances = new Map([
  ['ada', 100],
  ['bob', 100],
]);

async function move(from: string, to: string, amount: number): Promise<void> {
  const [left = 0, right = 0] = [balances.get(from), balances.get(to)];
  await work(5);
  balances.set(from, left - amount).set(to, right + amount);
}

// By hand: one lock, then the other. Two opposite transfers wait for each other until one gives up.
async function byHand(from: string, to: string, amount: number): Promise<void> {
  await using first = await locks.acquire(`accounts/${from}`);
  await work(5);
  await using second = await locks.acquire(`accounts/${to}`, { waitMs: 200 });
  first.assertHeld();
  second.assertHeld();
  await move(from, to, amount);
}
const outcomes = await Promise.allSettled([byHand('ada', 'bob', 10), byHand('bob', 'ada', 5)]);
const failed = outcomes.some(({ status }) => status === 'rejected');
console.log(`one by one: ${failed ? 'a transfer gave up' : 'no conflict'}`);

// As one lease: both are held, or none. The order in the list does not matter.
async function transfer(from: string, to: string, amount: number): Promise<void> {
  await locks.use([`accounts/${from}`, `accounts/${to}`], async ({ assertHeld }) => {
    assertHeld();
    await move(from, to, amount);
  });
}
balances.set('ada', 100).set('bob', 100);
const there = Array.from({ length: 20 }, () => transfer('ada', 'bob', 2));
const back = Array.from({ length: 20 }, () => transfer('bob', 'ada', 1));
await Promise.all([...there, ...back]);
console.log(`as one lease: 40 transfers, ada ${balances.get('ada')}, bob ${balances.get('bob')}`);

// Each key has its own token, for the resource that it locks.
await locks.use(['accounts/bob', 'accounts/ada'], ({ keys, fencingTokens }) => {
  console.log(`locked: ${keys.join(', ')}; tokens: ${fencingTokens.size}`);
});
await locks.close();
