import { openMemory } from '@holdfast/core';
import { openRedisGetset } from '@holdfast/redis-getset';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openRedlock } from '@holdfast/redlock';
import type { Subject } from '@holdfast/sim';
import { openZk } from '@holdfast/zk';
import { keepsFence, keepsNodeList, keepsNothing, PATIENCE } from '../liveness/patience.ts';
import { DEBATE_SUBJECTS } from './debate-subjects.ts';
import { EXHIBIT_SUBJECTS } from './exhibit-subjects.ts';

/** As many nodes as the description of Redlock takes. */
const REDLOCK_NODES = 5;
/** As many servers as a small ensemble has. */
const ZK_SERVERS = 3;
/** Of T: a lease begins with a little more than a third of it at the worst, and messages take time too. */
const ZK_FIXED_SHARE = 0.3;

export type SubjectName = 'no-lock' | 'memory' | 'redis-simple' | 'redis-getset' | 'redlock' | 'zk';

/** The locks that come with this package, as the simulator tries them; the control first. */
export const SUBJECTS: Readonly<Record<SubjectName, Subject>> = {
  'no-lock': { name: 'no-lock', nodes: 0, renews: true, tokens: false },
  memory: {
    name: 'memory',
    nodes: 0,
    renews: true,
    tokens: true,
    tidy: true,
    patience: PATIENCE.memory,
    open: ({ store, link }, host) => openMemory({ store, link }, host),
  },
  'redis-simple': {
    name: 'redis-simple',
    nodes: 1,
    renews: true,
    tokens: true,
    requests: ['SUBSCRIBE', 'undo'],
    patience: PATIENCE['redis-simple'],
    keeps: keepsFence,
    open: ({ node }, host) => openRedisSimple({ node }, host),
  },
  'redis-getset': {
    name: 'redis-getset',
    nodes: 1,
    renews: false,
    tokens: false,
    labels: { acquire: ['SETNX', 'GETSET'], renew: [], release: ['DEL'] },
    points: ['acquire', 'GET', 'release'],
    // A stamp that a loser left over the winner's shows at the very end of the winner's lease.
    overruns: true,
    // The second half of the recipe: part of `acquire`, and rarely the one that a fault of that would strike.
    requests: Array.from({ length: 9 }, () => 'GETSET'),
    patience: PATIENCE['redis-getset'],
    keeps: keepsNothing,
    open: ({ node }, host) => openRedisGetset({ node }, host),
  },
  redlock: {
    name: 'redlock',
    nodes: REDLOCK_NODES,
    renews: true,
    tokens: false,
    requests: ['SUBSCRIBE', 'undo'],
    patience: PATIENCE.redlock,
    keeps: keepsNodeList,
    open: ({ nodes }, host) => openRedlock({ nodes }, host),
  },
  zk: {
    name: 'zk',
    nodes: ZK_SERVERS,
    ensemble: true,
    renews: true,
    tokens: true,
    fixedShare: ZK_FIXED_SHARE,
    labels: { acquire: ['create'], renew: ['setData'], release: ['delete'] },
    requests: ['list', 'sync', 'existsWatch'],
    patience: PATIENCE.zk,
    open: ({ openSession }, host) => openZk({ open: openSession }, host),
  },
};

/** The same lock on the fewest servers that outlive one: a majority is two, so that less has to go wrong. */
export const REDLOCK_ON_THREE: Subject = redlockOn(3);

/** Redlock on so many nodes, under the name by which {@link builtInSubject} finds it again. */
function redlockOn(nodes: number): Subject {
  return { ...SUBJECTS.redlock, name: `redlock-${nodes}`, nodes };
}

/** One of {@link SUBJECTS}, redlock on three to nine (`redlock-4`), an exhibit, or a lock of the debate; undefined for a name that is none of theirs. */
export function builtInSubject(name: string): Subject | undefined {
  const ours = Object.entries(SUBJECTS).find(([known]) => known === name)?.[1];
  const nodes = /^redlock-([3-9])$/.exec(name)?.[1];
  if (nodes !== undefined) return redlockOn(Number(nodes));
  return ours ?? [...EXHIBIT_SUBJECTS, ...DEBATE_SUBJECTS].find((each) => each.name === name);
}
