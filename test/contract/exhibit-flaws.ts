const FORGETS_ITSELF = {
  'an attempt whose reply was lost does not keep its own contender out':
    'it never looks whether what stands there is its own',
};
const TAKES_ANYTHING = {
  'what stands under the key and is not a lock is refused, named and left alone':
    'it takes whatever stands under the key for a lock',
};
const NEVER_LOOKS_AT_THE_CLOCK = {
  'a grant is valid from when its request left, and for less than the store keeps it':
    'its holder believes until it gives it back',
};
const OUTLIVES_ITS_KEY = {
  'a lease that nobody renews ends: the next gets the key, and never while the first may believe in it':
    'the key expires, and its holder does not know',
  'closing that is told to leave holds frees none of them before their time, and they end by themselves':
    'the key expires, and its holder does not know',
};
const SAME_VALUE = {
  'what stands for a grant is its own: two grants of a key have two owner values':
    'the value is the same for everybody',
};
const TAKES_FROM_THE_NEXT = {
  'after a takeover the old holder’s release is told that it holds nothing, and takes nothing from the new holder':
    'it removes whoever’s key stands there',
};
const STANDS_FOR_EVER = {
  'what an attempt won whose reply was lost is given back, or gone when its withdrawal said':
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
        'a lease that nobody renews ends: the next gets the key, and never while the first may believe in it',
        'closing that is told to leave holds frees none of them before their time, and they end by themselves',
        'after a takeover the old holder’s renewal is told that it is lost, and takes nothing from the new holder',
        'after a takeover the old holder’s release is told that it holds nothing, and takes nothing from the new holder',
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
