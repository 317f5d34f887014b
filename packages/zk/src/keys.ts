/** Changes whenever names or values change in a way that an older release would not respect. */
const FORMAT = 'v1';
/** What ZooKeeper, or its own tree, gives a meaning to. */
const RESERVED = new Set(['.', '..', 'zookeeper']);

/** Where the locks of one namespace stand, below the chroot. */
export interface Layout {
  /** Everything that is made once and stays, parents first; `locks` and `sessions` are the last two. */
  readonly roots: readonly string[];
  readonly locks: string;
  readonly sessions: string;
}

/** `/‹namespace›/v1/locks` and `/‹namespace›/v1/sessions`. */
export function layoutOf(namespace: string): Layout {
  const top = `/${encodeName(namespace)}`;
  const format = `${top}/${FORMAT}`;
  const locks = `${format}/locks`;
  const sessions = `${format}/sessions`;
  return { roots: [top, format, locks, sessions], locks, sessions };
}

/** The container of a key's contenders. */
export function containerOf({ locks }: Layout, key: string): string {
  return `${locks}/${encodeName(key)}`;
}

/** The node by which one session proves that it lives; the id as ZooKeeper's own tools print it. */
export function sessionNodeOf({ sessions }: Layout, id: bigint): string {
  return `${sessions}/0x${BigInt.asUintN(64, id).toString(16)}`;
}

/** Any text as the name of one znode, injectively: percent-encoded UTF-8, and so without `/` and control characters. */
export function encodeName(text: string): string {
  if (!RESERVED.has(text)) return encodeURIComponent(text);
  const first = text.charCodeAt(0).toString(16).toUpperCase();
  return `%${first}${text.slice(1).replaceAll('.', '%2E')}`;
}

/** What {@link encodeName} was given. @throws URIError for a name that is none of its results */
export function decodeName(name: string): string {
  return decodeURIComponent(name);
}
