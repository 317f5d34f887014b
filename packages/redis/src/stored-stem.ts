import { InvalidOptionError } from '@holdfast/core';

/** Changes whenever keys, values or scripts change in a way that an older release would not respect. */
const FORMAT = 'v1';
const NAMESPACE_BYTES_MAX = 128;
const NEEDS_ESCAPE = /[%{}]/;
const encoder = new TextEncoder();

/**
 * `‹namespace›:v1:{‹key›}:`, how every name begins under which a recipe stores something of `key`. Injective: after
 * escaping, the first `{` ends the namespace and the first `}` ends the key, for us as for the cluster's hash tag.
 */
export function storedStem(namespace: string, key: string): string {
  return `${escapeBraces(namespace)}:${FORMAT}:{${escapeBraces(key)}}:`;
}

function escapeBraces(text: string): string {
  // Nearly every key passes untouched, and looks in redis-cli as its user wrote it.
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

/**
 * Refuses a namespace that could not be stored safely.
 * @throws InvalidOptionError unless it is non-empty, well-formed Unicode of at most 128 UTF-8 bytes without control
 * characters
 */
export function checkNamespace(namespace: unknown, backend: string): asserts namespace is string {
  const complain = (why: string): never => {
    throw new InvalidOptionError(`option namespace ${why}`, { backend });
  };
  if (typeof namespace !== 'string') return complain(`must be a string, not ${typeof namespace}`);
  if (namespace === '') return complain('is empty');
  if (/\p{Cs}|\p{Cc}/u.test(namespace)) {
    return complain('has a control character or a lone surrogate');
  }
  const bytes = encoder.encode(namespace).length;
  if (bytes > NAMESPACE_BYTES_MAX) {
    complain(`has ${bytes} UTF-8 bytes; at most ${NAMESPACE_BYTES_MAX} are allowed`);
  }
}
