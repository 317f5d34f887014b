import type { Recipe } from '../recipe.ts';

/**
 * DO NOT USE. No lock at all: every client is admitted at once, with a number that is larger than all before it.
 *
 * Where it comes from: http://antirez.com/news/101: if the resource can refuse an old token, what is the lock for?
 *
 * What breaks it: clients are not excluded. A resource that compares tokens loses nothing, but refuses many writes; for a
 * resource that does not compare there is no protection.
 */
export const fenceAlone: Recipe = {
  name: 'fence-alone',
  flaw: 'it excludes no client, and leaves everything to the resource',
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
