/** Changes whenever names or values change in a way that older releases would not respect. */
const FORMAT = 'v1';
/** Names with a meaning in ZooKeeper. */
const RESERVED = new Set(['.', '..', 'zookeeper']);

/** The paths of one namespace, below the chroot. */
export interface Layout {
  /** The nodes that are created once and stay, parents first; `locks` and `sessions` are the last two. */
  readonly roots: readonly string[];
  readonly locks: string;
  readonly sessions: string;
  /** Created with the first mark. */
  readonly marks: string;
}

/** `/‹namespace›/v1/locks`, and beside it `sessions` and `marks`. */
export function layoutOf(namespace: string): Layout {
  const top = `/${encodeName(namespace)}`;
  const format = `${top}/${FORMAT}`;
  const locks = `${format}/locks`;
  const sessions = `${format}/sessions`;
  return { roots: [top, format, locks, sessions], locks, sessions, marks: `${format}/marks` };
}

/** The container of a key's contenders. */
export function containerOf({ locks }: Layout, key: string): string {
  return `${locks}/${encodeName(key)}`;
}

/** The node by which one session proves that it lives. The id is printed as ZooKeeper's own tools print it. */
export function sessionNodeOf({ sessions }: Layout, id: bigint): string {
  return `${sessions}/0x${BigInt.asUintN(64, id).toString(16)}`;
}

/** The node of one mark of the store. */
export function markNodeOf({ marks }: Layout, name: string): string {
  return `${marks}/${encodeName(name)}`;
}

/** Encodes any text as the name of one node, injectively: percent-encoded UTF-8, without `/` and control characters. */
export function encodeName(text: string): string {
  if (!RESERVED.has(text)) return encodeURIComponent(text);
  const first = text.charCodeAt(0).toString(16).toUpperCase();
  return `%${first}${text.slice(1).replaceAll('.', '%2E')}`;
}

/** Reverses {@link encodeName}. @throws URIError for a name that it cannot return */
export function decodeName(name: string): string {
  return decodeURIComponent(name);
}
