import { systemRuntime } from '@holdfast/core';
import type { RedisNode } from '@holdfast/redis';

const CALL_MS = 5_000;
const SCAN_COUNT = '1000';

/**
 * Removes all keys of a namespace of ours, in which nobody locks any more. Looks through the names of all keys in small
 * steps, between which the server serves others.
 */
export async function sweepRedis(node: RedisNode, namespace: string): Promise<void> {
  const runtime = systemRuntime();
  const call = (...args: string[]): ReturnType<RedisNode['command']> =>
    node.command(args, { deadlineMs: runtime.now().monotonicMs + CALL_MS });
  const pattern = `${namespace.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`)}:*`;
  let cursor = '0';
  do {
    const reply = await call('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
    const [next, keys] = Array.isArray(reply) ? reply : [];
    const own = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
    if (own.length > 0) await call('UNLINK', ...own);
    cursor = typeof next === 'string' ? next : '0';
  } while (cursor !== '0');
}
