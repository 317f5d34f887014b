/** The version of the stored format: changes if keys, values or scripts change so that an older release fails. */
const FORMAT = 'v1';
const NEEDS_ESCAPE = /[%{}]/;

/**
 * Returns `‹namespace›:v1:{‹key›}:`, the prefix of every name under which a recipe stores a value of `key`. Injective:
 * after escaping, the first `{` ends the namespace and the first `}` ends the key, as in the cluster's hash tag.
 * @example
 * ```ts
 * keyPrefix('holdfast', 'orders/42'); // 'holdfast:v1:{orders/42}:'
 * ```
 */
export function keyPrefix(namespace: string, key: string): string {
  return `${startOf(namespace)}${escapeBraces(key)}}:`;
}

/** A process has few namespaces, and makes such a name for every call. */
const STARTS = new Map<string, string>();

function startOf(namespace: string): string {
  const start = STARTS.get(namespace) ?? `${escapeBraces(namespace)}:${FORMAT}:{`;
  STARTS.set(namespace, start);
  return start;
}

function escapeBraces(text: string): string {
  // Nearly every key passes unchanged, and looks in redis-cli as its user wrote it.
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D');
}

/**
 * Returns the key of a stored name that ends with `suffix`; undefined for another namespace or another name.
 * @example
 * ```ts
 * keyOf('holdfast:v1:{orders/42}:lock', 'holdfast', 'lock'); // 'orders/42'
 * ```
 */
export function keyOf(name: string, namespace: string, suffix: string): string | undefined {
  const start = startOf(namespace);
  const end = `}:${suffix}`;
  if (!name.startsWith(start) || !name.endsWith(end)) return undefined;
  const key = name.slice(start.length, name.length - end.length);
  return key.replaceAll('%7D', '}').replaceAll('%7B', '{').replaceAll('%25', '%');
}
