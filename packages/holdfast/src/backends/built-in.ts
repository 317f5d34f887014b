import { memory } from './memory.ts';
import type { BackendRecord } from './record.ts';
import { redisGetset } from './redis-getset.ts';
import { redisSimple } from './redis-simple.ts';
import { redlock } from './redlock.ts';
import { zk } from './zk.ts';

/** The backends that come with this package. To add one: its file, and its line here. */
export const BACKENDS: readonly BackendRecord[] = [memory, redisSimple, redisGetset, redlock, zk];

export const BUILT_IN_NAMES: readonly string[] = BACKENDS.map(({ name }) => name);

/** The backend of that name, or undefined where it is somebody else's. */
export function builtIn(name: string): BackendRecord | undefined {
  return BACKENDS.find((backend) => backend.name === name);
}
