// A lock cannot stop a holder that is paused (by a long garbage collection, a sleeping laptop) and resumes too late:
// the holder does not know yet that it lost the lock. The resource can stop it. Each grant of a key has a larger
// fencing token, and a resource that stores the largest token rejects the late write.
//
// Run it: npm run example 02            or: npm run example 02 redis://localhost

import { setTimeout as pause } from 'node:timers/promises';
import { openLocks } from 'holdfast';

/** Simulates a database row with a column `token`: UPDATE … SET token = $new WHERE token <= $new. */
class Account {
  balance = 100;
  #largest = 0n;

  write(who: string, balance: number, token: bigint): void {
    const accepted = token >= this.#largest;
    if (accepted) {
      this.#largest = token;
      this.balance = balance;
    }
    console.log(`${who} writes ${balance}: ${accepted ? 'accepted' : 'refused, its token is old'}`);
  }
}

const account = new Account();
// With `require`, opening fails on a backend without tokens, and the type of `fencingToken` is bigint.
const locks = await openLocks(process.argv[2] ?? 'memory:', { require: ['fencing'] });

// Ada's lease is not renewed, and she is paused for longer than it lasts.
const ada = await locks.acquire('account/7', { ttlMs: 200, renew: false });
const adaReads = account.balance;
await pause(300);

await locks.use('account/7', (bob) => {
  account.write('Bob', account.balance - 30, bob.fencingToken);
});

account.write('Ada', adaReads - 50, ada.fencingToken);
console.log(`the balance is ${account.balance}`);

await locks.close();
