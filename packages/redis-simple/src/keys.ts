import { keyPrefix } from '@holdfast/redis';

/** The names under which one lock stands in Redis. One hash tag, so one slot of a cluster. */
export interface StoredKeys {
  /** The key as the user gave it. */
  readonly key: string;
  readonly lock: string;
  readonly fence: string;
  readonly channel: string;
}

/** `‹namespace›:v1:{‹key›}:lock`, `…:fence` and `…:channel`. */
export function storedKeys(namespace: string, key: string): StoredKeys {
  const stem = keyPrefix(namespace, key);
  return { key, lock: `${stem}lock`, fence: `${stem}fence`, channel: `${stem}channel` };
}
