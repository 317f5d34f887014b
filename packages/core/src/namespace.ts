import { InvalidOptionError } from './errors.ts';

const NAMESPACE_BYTES_MAX = 128;
const encoder = new TextEncoder();

/**
 * Refuses a namespace that could not be stored safely.
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
