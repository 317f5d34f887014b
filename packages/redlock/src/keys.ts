import { keyPrefix } from '@holdfast/redis';

/** The names under which one lock stands on every node. */
export interface StoredKeys {
  /** The key as the user gave it. */
  readonly key: string;
  /** Holds the owner value to which the node has given its vote. */
  readonly vote: string;
  readonly channel: string;
}

/** `‹namespace›:v1:{‹key›}:vote` and `…:vote-channel`: not the names of a lock on one node, which could share it. */
export function storedKeys(namespace: string, key: string): StoredKeys {
  const stem = keyPrefix(namespace, key);
  return { key, vote: `${stem}vote`, channel: `${stem}vote-channel` };
}

/** `‹namespace›:v1:{}:nodes`, where the list of nodes stands; no key is empty, so nobody locks under this name. */
export function listKey(namespace: string): string {
  return `${keyPrefix(namespace, '')}nodes`;
}
