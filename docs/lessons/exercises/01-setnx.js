// Lesson 1. A crash must not lock the shop for ever. Give the key an expiry: EXPIRE, or rather PEXPIRE, which takes
// milliseconds such as `ttlMs`. `take` gets that too.
// Judge:  npx holdfast find ./docs/lessons/exercises/01-setnx.js --fault holder-crash --property liveness --budget 400
import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: false,
  value: () => 'true',

  async take({ lock, value, send }) {
    return (await send('SETNX', lock, value)) === 1;
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
});
