import type { Deadline } from './deadline.ts';
import { refused } from './failures.ts';
import type { ZooKeeperSession } from './port.ts';
import { listingBytes, type Place, type Standing, standingOf, strangersIn } from './queue.ts';
import { isReply } from './roots.ts';
import type { Store } from './store.ts';

/** Who looks at the queue of a key. */
export interface Looker {
  readonly key: string;
  readonly container: string;
  readonly place: Place;
  /** Has not been told before who stands in front. */
  readonly isNew: boolean;
}

/**
 * A listing that is longer than a client takes, its `jute.maxbuffer` of mostly 1 MB, reaches nobody. Whoever comes when
 * it is this long goes away again, so that those who stand in the queue can go on.
 */
const LISTING_BYTES_MAX = 768 * 1024;

/** Where a contender stands. @throws LockError for a newcomer to a queue that is full; else rejects as the session does */
export async function look(
  store: Store,
  session: ZooKeeperSession,
  { key, container, place, isNew }: Looker,
  deadline: Deadline,
): Promise<Standing> {
  const children = await deadline.of(childrenOf(session, container));
  store.reportStrangers(key, strangersIn(children));
  const standing = standingOf(place, children);
  if (isNew && standing.kind === 'behind' && listingBytes(children) > LISTING_BYTES_MAX) {
    const why = `has a queue of ${standing.ahead}, whose listing comes near ZooKeeper's limit of 1 MB for one reply (jute.maxbuffer)`;
    throw refused('QUEUE_FULL', key, why);
  }
  return standing;
}

async function childrenOf(
  session: ZooKeeperSession,
  container: string,
): Promise<readonly string[]> {
  try {
    return (await session.list(container)).children;
  } catch (cause) {
    if (isReply(cause, 'NONODE')) return [];
    throw cause;
  }
}
