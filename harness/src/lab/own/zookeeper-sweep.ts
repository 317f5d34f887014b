import { SessionReplyError, type ZooKeeperSession } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { inSession } from './zookeeper-at.ts';

/** Removes the whole tree of a namespace of ours, in which nobody locks any more. */
export function sweep(config: ZkConfig, namespace: string): Promise<void> {
  return inSession(config, (session) => remove(session, `/${encodeURIComponent(namespace)}`));
}

async function remove(session: ZooKeeperSession, path: string): Promise<void> {
  try {
    const { children } = await session.list(path);
    await Promise.all(children.map((name) => remove(session, `${path}/${name}`)));
    await session.delete(path);
  } catch (cause) {
    // Gone already, or somebody added to it meanwhile.
    const isLeft =
      cause instanceof SessionReplyError && ['NONODE', 'NOTEMPTY'].includes(cause.code);
    if (!isLeft) throw cause;
  }
}
