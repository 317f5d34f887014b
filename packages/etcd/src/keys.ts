/** Changes whenever names or values change in a way that older releases would not respect. */
const FORMAT = 'v1';

/** The key prefixes of one namespace. */
export interface Layout {
  /** All locks are below it. */
  readonly locks: string;
  /** All marks are below it. */
  readonly marks: string;
}

/** `‹namespace›/v1/locks/`, and beside it `marks/`. */
export function layoutOf(namespace: string): Layout {
  const format = `${encodeName(namespace)}/${FORMAT}`;
  return { locks: `${format}/locks/`, marks: `${format}/marks/` };
}

/**
 * The prefix of the contenders of one lock. It ends with the only `/` after the name, so that no other lock is below it.
 * `etcdctl lock` with the name without that `/` joins the same queue.
 */
export function prefixOf({ locks }: Layout, key: string): string {
  return `${locks}${encodeName(key)}/`;
}

/** The key of one mark of the store. */
export function markKeyOf({ marks }: Layout, name: string): string {
  return `${marks}${encodeName(name)}`;
}

/** The lock that a contender's key belongs to; undefined for a key that is no contender's. */
export function lockIn({ locks }: Layout, key: string): string | undefined {
  const slash = key.indexOf('/', locks.length);
  if (!key.startsWith(locks) || slash <= locks.length) return undefined;
  try {
    return decodeURIComponent(key.slice(locks.length, slash));
  } catch {
    return undefined;
  }
}

/** The first key behind all that start with `prefix`, whose last character is `/`. */
export function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/** Encodes any text injectively, as percent-encoded UTF-8 without `/`. */
function encodeName(text: string): string {
  return encodeURIComponent(text);
}
