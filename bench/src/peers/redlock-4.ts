import { Redis } from 'ioredis';
import Redlock from 'redlock-4';
import { type Candidate, isNamed, TTL_MS, undefinedIfBusy } from '../candidate.ts';

export const redlock4: Candidate = {
  name: 'redlock 4.2.0',
  client: 'ioredis',
  async open(url) {
    const client = new Redis(url);
    const redlock = new Redlock([client], { retryCount: 0 });
    return {
      acquire: async (key) => {
        const attempt = redlock.lock(`redlock-4:${key}`, TTL_MS);
        const lock = await undefinedIfBusy(attempt, (error) => isNamed(error, 'LockError'));
        return lock && (() => lock.unlock());
      },
      close: () => client.quit(),
    };
  },
};
