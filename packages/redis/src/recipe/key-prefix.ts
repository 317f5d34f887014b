/** Changes whenever keys, values or scripts change in a way that an older release would not respect. */
const FORMAT = 'v1';
const NEEDS_ESCAPE = /[%{}]/;

/**
 * `‹namespace›:v1:{‹key›}:`, how every name begins under which a recipe stores something of `key`. Injective: after
 * escaping, the first `{` ends the namespace and the first `}` ends the key, for us as for the cluster's hash tag.
 */
export function keyPrefix(namespace: string, key: string): string {
  return `${escapeBraces(namespace)}:${FORMAT}:{${escapeBraces(key)}}:`;
}

function escapeBraces(text: string): string {
  // Nearly every key passes untouched, and looks in redis-cli as its user wrote it.
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text.replaceAll('%', '%25').replaceAll('{', '%7B').replaceAll('}', '%7D');
}
