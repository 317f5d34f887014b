/** Changes whenever names or values change in a way that older releases would not respect. */
const FORMAT = 'v1';

/** The key prefixes of one namespace. */
export interface Layout {
  /** All locks are below it. */
  readonly locks: string;
  /** All marks are below it. */
  readonly marks: string;
  /** The records of the tokens of readers are below it. */
  readonly readers: string;
  /** What waiters for permits watch is below it. */
  readonly bells: string;
}

/** `‹namespace›/v1/locks/`, and beside it `marks/`. */
export function layoutOf(namespace: string): Layout {
  const format = `${encodeName(namespace)}/${FORMAT}`;
  const [locks, marks] = [`${format}/locks/`, `${format}/marks/`];
  return { locks, marks, readers: `${format}/readers/`, bells: `${format}/bells/` };
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

/** The key with the token of the readers of one lock. */
export function recordKeyOf({ readers }: Layout, key: string): string {
  return `${readers}${encodeName(key)}`;
}

/** The key that the waiter behind the contender `name` watches; that of the first waiter has no name. */
export function bellKeyOf({ bells }: Layout, key: string, name: string): string {
  return `${bells}${encodeName(key)}/${name}+`;
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
