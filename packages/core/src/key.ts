import { InvalidKeyError, InvalidOptionError } from './errors.ts';

/** What a call locks: one key, or several as one lease. */
export type KeyOrKeys = string | readonly string[];

/** More would hold up every client that needs one of them, and a script with them would block a Redis server. */
const KEYS_MAX = 64;
const KEY_BYTES_MAX = 512;
const NAMESPACE_BYTES_MAX = 128;
/** Matches nearly every key: printable ASCII, one byte per character. Such a key skips the slower checks. */
const PLAIN = /^[\x20-\x7e]{1,512}$/;
const encoder = new TextEncoder();

/**
 * Rejects a key that a backend could not store safely.
 * @example
 * ```ts
 * checkKey('orders/42', 'my-lock');
 * checkKey('orders\n42', 'my-lock'); // throws InvalidKeyError
 * ```
 * @throws InvalidKeyError unless `key` is non-empty, well-formed Unicode of at most 512 UTF-8 bytes without control characters
 */
export function checkKey(key: unknown, backend: string): asserts key is string {
  if (typeof key === 'string' && PLAIN.test(key)) return;
  const reject = (why: string): never => {
    const shown = typeof key === 'string' ? JSON.stringify(key.slice(0, 80)) : String(key);
    throw new InvalidKeyError(`key ${shown} ${why}`, {
      key: typeof key === 'string' ? key : undefined,
      backend,
    });
  };
  if (typeof key !== 'string') return reject('is not a string');
  if (key === '') return reject('is empty');
  if (/\p{Cs}/u.test(key)) return reject('is not well-formed Unicode: it has a lone surrogate');
  if (/\p{Cc}/u.test(key)) return reject('has a control character');
  const bytes = encoder.encode(key).length;
  if (bytes > KEY_BYTES_MAX)
    reject(`has ${bytes} UTF-8 bytes; at most ${KEY_BYTES_MAX} are allowed`);
}

/**
 * Checks a key, or several. Returns several without duplicates and sorted by code unit: in the order in which every
 * client takes them, whatever its language, so that no two wait for each other.
 * @throws InvalidKeyError for a wrong key, for no key at all, or for more than 64
 */
export function checkKeys(key: unknown, backend: string): KeyOrKeys {
  if (!Array.isArray(key)) {
    checkKey(key, backend);
    return key;
  }
  const keys = new Set<string>();
  for (const each of key) {
    checkKey(each, backend);
    keys.add(each);
  }
  if (keys.size === 0)
    throw new InvalidKeyError('a list of keys is empty; name at least one', { backend });
  if (keys.size > KEYS_MAX) {
    const message = `${keys.size} keys are too many for one lease; at most ${KEYS_MAX} are allowed`;
    throw new InvalidKeyError(message, { backend });
  }
  return Object.freeze([...keys].toSorted());
}

/**
 * Rejects a namespace that could not be stored safely.
 * @example
 * ```ts
 * const { namespace = 'holdfast' } = JSON.parse(source);
 * checkNamespace(namespace, 'my-lock');
 * ```
 * @throws InvalidOptionError unless it is non-empty, well-formed Unicode of at most 128 UTF-8 bytes without control
 * characters
 */
export function checkNamespace(namespace: unknown, backend: string): asserts namespace is string {
  const reject = (why: string): never => {
    throw new InvalidOptionError(`option namespace ${why}`, { backend });
  };
  if (typeof namespace !== 'string') return reject(`must be a string, not ${typeof namespace}`);
  if (namespace === '') return reject('is empty');
  if (/\p{Cs}|\p{Cc}/u.test(namespace)) {
    return reject('has a control character or a lone surrogate');
  }
  const bytes = encoder.encode(namespace).length;
  if (bytes > NAMESPACE_BYTES_MAX) {
    reject(`has ${bytes} UTF-8 bytes; at most ${NAMESPACE_BYTES_MAX} are allowed`);
  }
}
