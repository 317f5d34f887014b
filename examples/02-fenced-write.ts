// A lock cannot stop a holder that stands still (a long garbage collection, a sleeping laptop) and wakes up too late:
// it does not know yet that it lost the lock. The resource can. Each grant of a key carries a larger fencing token,
// and a resource that remembers the largest refuses the late write.
//
// Run it: npm run example 02            or: npm run example 02 redis://localhost

import { setTimeout as standStill } from 'node:timers/promises';
import { openLocks } from 'holdfast';

/** Stands for a database row with a column `token`: UPDATE … SET token = $new WHERE token <= $new. */
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
// `require` makes opening fail on a backend without tokens, and the type of `fencingToken` a bigint.
const locks = await openLocks(process.argv[2] ?? 'memory:', { require: ['fencing'] });

// Ada's lease is not renewed, and she stands still for longer than it lasts.
const ada = await locks.acquire('account/7', { ttlMs: 200, renew: false });
const adaReads = account.balance;
await standStill(300);

await locks.use('account/7', (bob) => {
  account.write('Bob', account.balance - 30, bob.fencingToken);
});

account.write('Ada', adaReads - 50, ada.fencingToken);
console.log(`the balance is ${account.balance}`);

await locks.close();
