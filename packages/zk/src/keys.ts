import { ConfigError } from '@holdfast/core';
import { NAME } from './identity.ts';

/** Changes whenever names or values change in a way that older releases would not respect. */
const FORMAT = 'v1';
/** Names that ZooKeeper refuses for a node: empty ones, control characters, private ones, and all beyond 16 bits. */
const UNUSABLE = /^\.{0,2}$|[\p{Cc}\p{Co}\p{Cs}\u{fff0}-\u{10ffff}]/u;
/** Names with a meaning in ZooKeeper. */
const RESERVED = new Set(['.', '..', 'zookeeper']);

/** The paths of one namespace, below the chroot. */
export interface Layout {
  /** The nodes that are created once and stay, parents first; `locks` and `sessions` are the last two. */
  readonly roots: readonly string[];
  readonly locks: string;
  /** True if other libraries use `locks`, too. */
  readonly isShared: boolean;
  readonly sessions: string;
  /** Created with the first mark. */
  readonly marks: string;
}

/**
 * `/‹namespace›/v1/locks`, and beside it `sessions` and `marks`. With `locksAt` the locks are there; the marks are others,
 * since a store with its locks elsewhere is another store.
 */
export function layoutOf(namespace: string, locksAt?: string): Layout {
  const top = `/${encodeName(namespace)}`;
  const format = `${top}/${FORMAT}`;
  const sessions = `${format}/sessions`;
  if (locksAt === undefined) {
    const locks = `${format}/locks`;
    const roots = [top, format, locks, sessions];
    return { roots, locks, isShared: false, sessions, marks: `${format}/marks` };
  }
  const roots = [...parentsOf(locksAt), top, format, locksAt, sessions];
  const marks = `${format}/marks-of-${encodeName(locksAt)}`;
  return { roots, locks: locksAt, isShared: true, sessions, marks };
}

/** @throws ConfigError for a path that is none, or in the namespace itself */
export function checkLocksAt(path: string | undefined, namespace: string): void {
  if (path === undefined) return;
  const names = path.split('/').slice(1);
  const isPath = path.startsWith('/') && names.every((name) => !UNUSABLE.test(name));
  const own = ['zookeeper', encodeName(namespace)];
  if (isPath && !own.includes(names[0] ?? '')) return;
  const rule = `an absolute path such as /locks, outside of /zookeeper and /${namespace}`;
  const message = `${NAME}: locksAt must be ${rule}, not ${JSON.stringify(path)}`;
  throw new ConfigError(message, { backend: NAME });
}

/** The paths above a path, the topmost first. */
function parentsOf(path: string): readonly string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
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

/** Reverses {@link encodeName}; undefined for a name that it cannot return, as other libraries may use. */
export function decodeName(name: string): string | undefined {
  try {
    const key = decodeURIComponent(name);
    return encodeName(key) === name ? key : undefined;
  } catch {
    return undefined;
  }
}
