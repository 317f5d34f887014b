import type { SimZooKeeper } from '../zookeeper/ensemble.ts';
import type { Transaction } from '../zookeeper/transaction.ts';

/** Where in the queue somebody came to stand who was granted the key. */
export interface Place {
  /** As in the history. */
  readonly hold: string;
  /** The transaction that put it there first, in the session in which it was granted. */
  readonly zxid: number;
}

/**
 * By the log of the ensemble: what is not in it, because a minority alone had it or all disks were lost, was never so.
 * `holds` says under which contender each was granted, whose nodes are named for it.
 */
export function placesOf(
  { servers }: SimZooKeeper,
  holds: ReadonlyMap<string, string>,
): readonly Place[] {
  const [log = []] = servers
    .map((server) => server.log)
    .toSorted((a, b) => (b.at(-1)?.zxid ?? 0) - (a.at(-1)?.zxid ?? 0));
  return Array.from(holds).flatMap(([hold, contender]) => {
    const own = log.filter((entry) => ownerOf(entry, contender) !== undefined);
    const session = ownerOf(own.at(-1), contender);
    const first = own.find((entry) => ownerOf(entry, contender) === session);
    return first === undefined ? [] : [{ hold, zxid: first.zxid }];
  });
}

/** Of the session that a node of this contender was made in; undefined for any other transaction. */
function ownerOf(entry: Transaction | undefined, contender: string): object | undefined {
  if (entry?.change.kind !== 'create' || !entry.change.path.includes(`/${contender}-`))
    return undefined;
  return entry.change.owner;
}
