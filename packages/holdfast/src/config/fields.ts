import { type Requirement } from '@holdfast/core';
import { FENCING_EPOCH_MAX, REQUIREMENTS, TTL_MS_MAX, TTL_MS_MIN } from '@holdfast/core/backend';
import * as v from 'valibot';

type Field<T> = v.GenericSchema<T | undefined>;

/** A whole number of ms; every error message states the whole rule. */
function durationMs(min: number, max: number, meaning: string): Field<number> {
  const limit = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  const rule = `must be a whole number of ms${limit}`;
  return v.optional(
    v.pipe(
      v.number(rule),
      v.integer(rule),
      v.minValue(min, rule),
      v.maxValue(max, rule),
      v.description(meaning),
    ),
  );
}

function waitMs(): Field<number> {
  const rule = 'must be a whole number of ms, 0 or more, or Infinity';
  const whole = v.pipe(v.number(rule), v.integer(rule), v.minValue(0, rule));
  const forever = v.literal(Number.POSITIVE_INFINITY, rule);
  const meaning = 'Limit of the wait for a lock, in ms; default 10000. 0 makes one attempt.';
  return v.optional(v.pipe(v.union([whole, forever], rule), v.description(meaning)));
}

export function flag(meaning: string): Field<boolean> {
  return v.optional(v.pipe(v.boolean('must be true or false'), v.description(meaning)));
}

export function text(meaning: string): Field<string> {
  return v.optional(v.pipe(v.string('must be a string'), v.description(meaning)));
}

/** A number of things, from 1. */
export function count(max: number, meaning: string): Field<number> {
  const rule = `must be a whole number from 1 to ${max}`;
  return v.optional(
    v.pipe(
      v.number(rule),
      v.integer(rule),
      v.minValue(1, rule),
      v.maxValue(max, rule),
      v.description(meaning),
    ),
  );
}

const REQUIREMENT_RULE = `must be one of ${REQUIREMENTS.join(', ')}, or { "survives": "…" } with a fault`;

const requirement: v.GenericSchema<Requirement> = v.union(
  [
    v.picklist(REQUIREMENTS, REQUIREMENT_RULE),
    v.strictObject({ survives: v.string(REQUIREMENT_RULE) }, REQUIREMENT_RULE),
  ],
  REQUIREMENT_RULE,
);

const EPOCH_RULE = `must be a whole number from 0 to ${FENCING_EPOCH_MAX}`;

/** The option of backends with fencing tokens. */
export const fencingEpoch: Field<number> = v.optional(
  v.pipe(
    v.number(EPOCH_RULE),
    v.integer(EPOCH_RULE),
    v.minValue(0, EPOCH_RULE),
    v.maxValue(FENCING_EPOCH_MAX, EPOCH_RULE),
    v.description(
      'The fencing epoch of the store, which makes its tokens larger than those of a lower epoch; default 0.',
    ),
  ),
);

/** How a Redis recipe stores its locks. */
export const layout: Field<'own' | 'plain'> = v.optional(
  v.pipe(
    v.picklist(['own', 'plain'], 'must be "own" or "plain"'),
    v.description(
      'plain: the lock is the very key that the user names, as other libraries keep it by SET NX PX, so both exclude each other; without fencing tokens. Default: own.',
    ),
  ),
);

/** The options of every configuration. */
export const defaults: {
  readonly $schema: Field<string>;
  readonly ttlMs: Field<number>;
  readonly waitMs: Field<number>;
  readonly renew: Field<boolean>;
  readonly maxHoldMs: Field<number>;
  readonly require: Field<readonly Requirement[]>;
  readonly connect: Field<'eager' | 'lazy'>;
} = {
  $schema: text('The address of this schema, for editors; ignored.'),
  ttlMs: durationMs(
    TTL_MS_MIN,
    TTL_MS_MAX,
    'Crash-to-takeover time: the time for which a key outlives its crashed holder, in ms; default 30000.',
  ),
  waitMs: waitMs(),
  renew: flag('false: leases are never renewed and end after ttlMs. Default true.'),
  maxHoldMs: durationMs(
    TTL_MS_MIN,
    Number.MAX_SAFE_INTEGER,
    'A lease ends after this many ms, however often it is renewed. Default: no cap.',
  ),
  require: v.optional(
    v.pipe(
      v.array(requirement, 'must be a list'),
      v.description(
        'Promises that the code relies on; opening fails if the backend does not make one of them.',
      ),
    ),
  ),
  connect: v.optional(
    v.pipe(
      v.picklist(['eager', 'lazy'], 'must be "eager" or "lazy"'),
      v.description(
        'lazy, the default: a store that is down can be opened, and acquire fails. eager: opening fails unless the store serves.',
      ),
    ),
  ),
};

/** The option `backend`, which distinguishes the configurations. */
export function name<const N extends string>(only: N, meaning: string): v.GenericSchema<N> {
  return v.pipe(v.literal(only, `must be "${only}"`), v.description(meaning));
}
