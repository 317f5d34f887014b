import { type Column, type Sign, signOf as signOfStyle } from '../draw/index.ts';
import type { Subject } from '../simulator/index.ts';
import { DEBATED } from './debated.ts';
import { EXHIBITS } from './exhibits.ts';
import type { Deployment, LockUnderTest } from './lock.ts';
import { memory } from './memory.ts';
import { noLock } from './no-lock.ts';
import { redisGetset } from './redis-getset.ts';
import { redisSimple } from './redis-simple.ts';
import { redlock } from './redlock.ts';
import { zk } from './zk.ts';

export { DEBATED } from './debated.ts';
export { EXHIBITS } from './exhibits.ts';
export type { Deployment, LockUnderTest, LockView, Needs, RealServers } from './lock.ts';

/** The locks that come with this package, in the order in which they are shown. To add one: its file, and its line here. */
export const LOCKS: readonly LockUnderTest[] = [memory, redisSimple, redisGetset, redlock, zk];

/** The same work without a lock. */
export const CONTROL: LockUnderTest = noLock;

const ALL: readonly LockUnderTest[] = [CONTROL, ...LOCKS, ...EXHIBITS, ...DEBATED];

interface LockColumn {
  readonly lock: LockUnderTest;
  readonly deployment: Deployment;
}

const LOCK_COLUMNS: readonly LockColumn[] = ALL.flatMap((lock) =>
  lock.on.map((deployment) => ({ lock, deployment })),
);

/** Every word by which a lock, or a column of one, is known. */
export const LOCK_NAMES: readonly string[] = [
  ...new Set(LOCK_COLUMNS.flatMap(({ lock, deployment }) => [lock.name, deployment.id])),
];

/** The columns of the matrix: our locks on simulated servers. */
export const MATRIX_COLUMNS: readonly string[] = LOCKS.flatMap(({ on }) =>
  on.flatMap(({ id, nodes }) => (nodes === undefined ? [] : id)),
);

/** The columns of the laboratory: the control, and our locks on real servers. */
export const REAL_COLUMNS: readonly string[] = [CONTROL, ...LOCKS].flatMap(({ on }) =>
  on.flatMap(({ id, real }) => (real === undefined ? [] : id)),
);

function columnAt({ lock, deployment }: LockColumn): Column {
  const { id, nodes, client, meaning, heading } = deployment;
  const [backend, below] = heading ?? [nodes === undefined ? lock.name : id, client];
  return { id, backend, ...(below === undefined ? {} : { client: below }), meaning };
}

/**
 * A column by its id.
 * @throws RangeError where there is none
 */
export function columnNamed(id: string): Column {
  const place = lockColumnOf(id);
  if (place === undefined) throw new RangeError(`${id} is no column that is shown`);
  return columnAt(place);
}

/** The sign of a column, by its id: the colour of its lock, and a glyph of its own. */
export function signOf(id: string): Sign {
  const place = lockColumnOf(id);
  if (place?.lock.style === undefined) return signOfStyle();
  const { glyph, variant, colour, shape } = place.lock.style;
  const isUsual = place.deployment === place.lock.on[0];
  const own = place.deployment.glyph ?? (isUsual ? glyph : variant);
  return signOfStyle({ glyph: own, colour, shape });
}

/** The record of a lock by its name. */
export function lockNamed(name: string): LockUnderTest | undefined {
  return ALL.find((lock) => lock.name === name);
}

/** Where a column's lock is deployed. */
export function deploymentOf(column: string): Deployment | undefined {
  return lockColumnOf(column)?.deployment;
}

/** True for the column of the work without a lock. */
export function isControl(column: string): boolean {
  return column === CONTROL.name;
}

/** The record of the lock that a column, or a size of it such as `redlock-4`, belongs to. */
export function lockOf(column: string): LockUnderTest | undefined {
  return lockColumnOf(column)?.lock;
}

/**
 * The column of our lock on servers of the same kind, one or several: what a fault can do there, it can do to this one.
 * @throws RangeError where none of ours is on such servers
 */
export function counterpartOf({
  nodes,
  ensemble = false,
}: Pick<Subject, 'nodes' | 'ensemble'>): string {
  const column = MATRIX_COLUMNS.find((each) => {
    const own = subjectOf(each);
    const isAlike = (own.ensemble ?? false) === ensemble && own.nodes > 0 === nodes > 0;
    return isAlike && own.nodes > 1 === nodes > 1;
  });
  if (column === undefined) throw new RangeError('none of our locks is on such servers');
  return column;
}

/** A registered column, one of any size, or one of the laboratory's: `name/…`. */
function lockColumnOf(id: string): LockColumn | undefined {
  const known = LOCK_COLUMNS.find(({ deployment }) => deployment.id === id);
  if (known !== undefined) return known;
  const sized = sizedColumn(id);
  if (sized !== undefined) return sized;
  const lock = id.includes('/') ? lockNamed(id.split('/')[0] ?? '') : undefined;
  return lock === undefined ? undefined : { lock, deployment: { id, meaning: lock.on[0].meaning } };
}

function sizedColumn(id: string): LockColumn | undefined {
  const [, name = '', digits = ''] = /^(.+)-(\d+)$/.exec(id) ?? [];
  const lock = lockNamed(name);
  const nodes = Number(digits);
  if (lock?.sizes === undefined || nodes < lock.sizes.min || nodes > lock.sizes.max)
    return undefined;
  return { lock, deployment: { id, nodes, meaning: `${name} on ${nodes} servers` } };
}

/** A lock that comes with this package, as the simulator tries it, by its name or with a size (`redlock-4`). */
export function builtInSubject(name: string): Subject | undefined {
  const place = lockColumnOf(name);
  if (place === undefined || place.deployment.isReplicated === true) return undefined;
  return simulated(place);
}

/**
 * The lock of a column. One whose servers have replicas is the lock itself: schedules of faults that need a replica put
 * one behind every server.
 * @throws RangeError for a column that is no lock of ours
 */
export function subjectOf(column: string): Subject {
  const place = lockColumnOf(column);
  const subject = place === undefined ? undefined : simulated(place);
  if (subject === undefined)
    throw new RangeError(`${column} is no lock that comes with this package`);
  return subject;
}

function simulated({ lock, deployment }: LockColumn): Subject | undefined {
  const { id, nodes, isReplicated = false } = deployment;
  return nodes === undefined ? undefined : subjectOn(lock, isReplicated ? lock.name : id, nodes);
}

/** A lock on so many servers, as the simulator tries it. */
export function subjectOn(
  { needs, open, promises, wire }: LockUnderTest,
  name: string,
  nodes: number,
): Subject {
  return {
    name,
    nodes,
    ...(needs === 'zookeeper' ? { ensemble: true } : {}),
    ...promises,
    ...wire,
    ...(open === undefined ? {} : { open: (view, host) => open(view, host) }),
  };
}
