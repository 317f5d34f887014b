import { Redis } from 'ioredis';
import Redlock from 'redlock-5';
import { type Candidate, isNamed, TTL_MS, undefinedIfBusy } from '../candidate.ts';

export const redlock5: Candidate = {
  name: 'redlock 5.0.0-beta.2',
  client: 'ioredis',
  async open(url) {
    const client = new Redis(url);
    const redlock = new Redlock([client], { retryCount: 0 });
    return {
      acquire: async (key) => {
        const attempt = redlock.acquire([`redlock-5:${key}`], TTL_MS);
        const lock = await undefinedIfBusy(attempt, (error) => isNamed(error, 'ExecutionError'));
        return lock && (() => lock.release());
      },
      close: () => client.quit(),
    };
  },
};
