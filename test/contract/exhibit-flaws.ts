const FORGETS_ITSELF = {
  'an attempt whose reply was lost does not block its own contender':
    'it never looks whether what stands there is its own',
};
const TAKES_ANYTHING = {
  'a foreign value under the key is refused, named and left unchanged':
    'it takes whatever stands under the key for a lock',
};
const NEVER_LOOKS_AT_THE_CLOCK = {
  'a grant is valid from its send time, and for less than the store keeps it':
    'its holder believes until it gives it back',
};
const OUTLIVES_ITS_KEY = {
  'a lease without renewal ends: the next client acquires the key, but never within the validity':
    'the key expires, and its holder does not know',
  'closing with leavesHolds frees no hold before its validity ends, and the holds expire by themselves':
    'the key expires, and its holder does not know',
};
const SAME_VALUE = {
  'two grants of a key have two owner values': 'the value is the same for everybody',
};
const TAKES_FROM_THE_NEXT = {
  'after a takeover the old holder’s release is not-held, and does not affect the new holder':
    'it removes whoever’s key stands there',
};
const STANDS_FOR_EVER = {
  'a hold whose reply was lost is released by the withdrawal, or gone by the time that it reports':
    'nothing gives the key an end',
};

const OF_ALL = { ...FORGETS_ITSELF, ...TAKES_ANYTHING, ...NEVER_LOOKS_AT_THE_CLOCK };

/** The checks of the contract that each exhibit fails, with reasons. Races between its steps are for the search to find. */
export const EXHIBIT_FLAWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'setnx-del': {
    ...OF_ALL,
    ...SAME_VALUE,
    ...STANDS_FOR_EVER,
    ...Object.fromEntries(
      [
        'a lease without renewal ends: the next client acquires the key, but never within the validity',
        'closing with leavesHolds frees no hold before its validity ends, and the holds expire by themselves',
        'after a takeover the old holder’s renewal is lost, and does not affect the new holder',
        'after a takeover the old holder’s release is not-held, and does not affect the new holder',
        'a lease taken over after expiry is released by its new owner, and then the key is free',
      ].map((check) => [check, 'the key never expires, so that nobody ever takes over']),
    ),
  },
  'setnx-expire': {
    ...OF_ALL,
    ...SAME_VALUE,
    ...STANDS_FOR_EVER,
    ...OUTLIVES_ITS_KEY,
    ...TAKES_FROM_THE_NEXT,
  },
  'set-nx-fixed': { ...OF_ALL, ...SAME_VALUE, ...OUTLIVES_ITS_KEY, ...TAKES_FROM_THE_NEXT },
  'set-nx-same-id': { ...OF_ALL, ...SAME_VALUE, ...OUTLIVES_ITS_KEY, ...TAKES_FROM_THE_NEXT },
  'set-nx-get-del': { ...OF_ALL, ...OUTLIVES_ITS_KEY },
  'set-nx-lua': { ...OF_ALL, ...OUTLIVES_ITS_KEY },
};
