import { ConfigError } from '@holdfast/core';
import { NAME } from './identity.ts';
import { type Acl, type NodeStat, SessionReplyError, type ZooKeeperSession } from './port.ts';

/** Creates a node unless it exists. Rejects as the session does. */
export async function createIfMissing(
  session: ZooKeeperSession,
  path: string,
  {
    data = '',
    ...options
  }: {
    readonly mode: 'persistent' | 'container';
    readonly acl: readonly Acl[] | undefined;
    readonly data?: string;
  },
): Promise<void> {
  try {
    await session.create(path, data, options);
  } catch (cause) {
    if (!isReplyCode(cause, 'NODEEXISTS') && !(await existsAnyway(session, path, cause)))
      throw cause;
  }
}

/** True if the node exists: servers check the right to create first, and report `NOAUTH` for a node that exists. */
async function existsAnyway(
  session: ZooKeeperSession,
  path: string,
  cause: unknown,
): Promise<boolean> {
  if (!isReplyCode(cause, 'NOAUTH')) return false;
  return (await statOf(session, path)) !== undefined;
}

/** Returns the stat of a node, without watching it. */
export async function statOf(
  session: ZooKeeperSession,
  path: string,
): Promise<NodeStat | undefined> {
  const watched = await session.existsWatch(path, () => {});
  watched.unwatch();
  return watched.stat;
}

/**
 * Creates the nodes above all locks of a namespace, parents first. All requests are sent at once, since a session keeps the
 * order.
 * @throws ConfigError if the chroot is missing; else as the session does
 */
export async function ensureRoots(
  session: ZooKeeperSession,
  roots: readonly string[],
  acl: readonly Acl[] | undefined,
): Promise<void> {
  const made = roots.map((path) => createIfMissing(session, path, { mode: 'persistent', acl }));
  const failed = (await Promise.allSettled(made)).find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') return;
  throw isReplyCode(failed.reason, 'NONODE') ? noChroot(failed.reason) : failed.reason;
}

function noChroot(cause: unknown): ConfigError {
  const message = `${NAME}: the chroot does not exist on these servers`;
  return new ConfigError(message, { backend: NAME, cause });
}

export function isReplyCode(cause: unknown, code: SessionReplyError['code']): boolean {
  return cause instanceof SessionReplyError && cause.code === code;
}
