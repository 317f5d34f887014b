import type { Host } from '@holdfast/core/backend';
import { expectReply } from '../outcome.ts';
import type { RedisNode, Reply } from '../port.ts';
import { keyOf } from './key-prefix.ts';
import { operatorCallOptions } from './operator.ts';

/** Keys that the server looks at in one call, during which it serves nobody else: some 50 µs. */
const COUNT = '50';
/** Between two calls, so that few requests of other clients meet one. */
const PAUSE_MS = 1;

/** Where a recipe stores its locks. */
export interface StoredLocks {
  /** Its clock limits each call. */
  readonly host: Host;
  /** The part of a name before the version. */
  readonly namespace: string;
  /** The end of the name of every lock. */
  readonly suffix: string;
}

/**
 * Lists the keys that have a value on one node, by SCAN: a page for each call that found some. A key may come twice, and
 * one that comes or goes meanwhile may be there or not. Rejects as `node.command` does.
 * @example
 * ```ts
 * const pages = storedKeyPages(node, { host, namespace: 'holdfast', suffix: 'lock' });
 * for await (const keys of pages) log(keys.length);
 * ```
 */
export async function* storedKeyPages(
  node: RedisNode,
  { host, namespace, suffix }: StoredLocks,
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const args = ['SCAN', cursor, 'MATCH', `*:${suffix}`, 'COUNT', COUNT];
    const reply = await node.command(args, operatorCallOptions(host));
    const [next, names] = expectReply('SCAN', reply, isPage);
    cursor = next;
    const keys = names.map((name) => keyOf(name, namespace, suffix));
    const ours = keys.filter((key) => key !== undefined);
    if (ours.length > 0) yield ours;
    if (cursor !== '0') await pause(host);
  } while (cursor !== '0');
}

function pause({ runtime }: Host): Promise<void> {
  return new Promise((resume) => void runtime.timer(PAUSE_MS, resume, { awaited: true }));
}

function isPage(reply: Reply): reply is readonly [string, readonly string[]] {
  if (!Array.isArray(reply) || reply.length !== 2) return false;
  const [cursor, names]: readonly Reply[] = reply;
  return (
    typeof cursor === 'string' &&
    Array.isArray(names) &&
    names.every((name: Reply) => typeof name === 'string')
  );
}
