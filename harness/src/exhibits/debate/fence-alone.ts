import type { Recipe } from '../recipe.ts';

/**
 * DO NOT USE. No lock at all: everybody is let in at once, with a number that is larger than all before it.
 *
 * Where it comes from: http://antirez.com/news/101: if the resource can refuse an old token, what is the lock for?
 *
 * What breaks it: nobody is kept apart. A resource that compares tokens loses nothing by that, and refuses a lot; one
 * that cannot compare is where it was without a lock.
 */
export const fenceAlone: Recipe = {
  name: 'fence-alone',
  flaw: 'it keeps nobody apart, and leaves everything to the resource',
  expires: true,
  validity: 'from-request',
  value: (id) => id,

  async take({ lock, send }) {
    const token = await send('INCR', `${lock}:token`);
    return typeof token === 'number' && BigInt(token);
  },

  give() {
    return Promise.resolve(true);
  },
};
