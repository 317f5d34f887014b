import { BackendUnavailableError } from '@holdfast/core';
import { type Marks } from '@holdfast/core/backend';
import { type Deadline, within } from './deadline.ts';
import { failureOf, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { markNodeOf } from './keys.ts';
import type { ZooKeeperSession } from './port.ts';
import { createIfMissing, ensureRoots, isReplyCode } from './roots.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store.ts';

type Work<T> = (session: ZooKeeperSession, deadline: Deadline) => Promise<T>;

/** The marks of one namespace: nodes that stay, each with its value as data. */
export function zkMarks(store: Store, sessions: Sessions): Marks {
  const { host, layout, acl } = store;
  const { marks } = layout;

  async function call<T>(deadlineMs: number, work: Work<T>): Promise<T> {
    const ms = deadlineMs - host.runtime.now().monotonicMs;
    try {
      return await within(host.runtime, ms, async (deadline) => {
        const { session } = await sessions.connected(deadline);
        return await work(session, deadline);
      });
    } catch (cause) {
      throw markError(cause, marks);
    }
  }

  return {
    read: (name, deadlineMs) =>
      call(deadlineMs, async (session, deadline) => {
        // A server may lag behind: without it, a mark that another client has seen could be missing here.
        await deadline.limit(session.sync(layout.locks));
        return await deadline.limit(dataOf(session, markNodeOf(layout, name)));
      }),
    write: (name, value, deadlineMs) =>
      call(deadlineMs, async (session, deadline) => {
        const path = markNodeOf(layout, name);
        await deadline.limit(ensureRoots(session, [...layout.roots, marks], acl));
        await deadline.limit(
          createIfMissing(session, path, { mode: 'persistent', acl, data: value }),
        );
        return (await deadline.limit(session.read(path))).data;
      }),
  };
}

async function dataOf(session: ZooKeeperSession, path: string): Promise<string | undefined> {
  try {
    return (await session.read(path)).data;
  } catch (cause) {
    if (isReplyCode(cause, 'NONODE')) return undefined;
    throw cause;
  }
}

function markError(cause: unknown, path: string): Error {
  const failure = failureOf(cause, path);
  if (failure.kind === 'refused') return failure.error;
  const message = `${NAME}: no reply about a mark below ${path}: ${messageOf(cause)}`;
  return new BackendUnavailableError(message, { backend: NAME, cause });
}
