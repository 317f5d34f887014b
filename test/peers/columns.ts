import { subjectOf as oursOf } from '../../harness/test/kit/locks.ts';
import { type Column, setupFor } from './bench.ts';
import { LIBRARIES } from './libraries/index.ts';
import type { PeerLibrary } from './peer.ts';
import { subjectOf } from './subject.ts';

function columnOf(library: PeerLibrary): Column {
  const subject = subjectOf(library);
  return { name: library.name, subject, setups: [setupFor(subject)] };
}

/** Ours is tried by the schedules of every library on as many nodes. */
function ours(name: 'redis-simple' | 'redlock'): Column {
  const subject = oursOf(name);
  const setups = PEERS.filter((peer) => peer.subject.nodes === subject.nodes).flatMap(
    (peer) => peer.setups,
  );
  const distinct = new Map(setups.map((setup) => [JSON.stringify(setup), setup]));
  return { name: `${name} (ours)`, subject, setups: [...distinct.values()] };
}

/** Published libraries. */
export const PEERS: readonly Column[] = LIBRARIES.map(columnOf);

/** The lock of ours on as many nodes. */
export function counterpartOf({ subject }: Column): Column {
  const counterpart = COLUMNS.find(
    (column) => !PEERS.includes(column) && column.subject.nodes === subject.nodes,
  );
  if (counterpart === undefined) throw new Error(`nothing of ours is on ${subject.nodes} nodes`);
  return counterpart;
}

/** Those on one node, then those on five; ours first. */
export const COLUMNS: readonly Column[] = [1, 5].flatMap((nodes) => [
  ours(nodes === 1 ? 'redis-simple' : 'redlock'),
  ...PEERS.filter(({ subject }) => subject.nodes === nodes),
]);
