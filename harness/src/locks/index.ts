import type { Column, Sign } from '../draw/index.ts';
// Not by the index: most runs draw nothing.
import { signOfStyle } from '../draw/notation.ts';
import { kindOf, type Subject, serverKind } from '../simulator/index.ts';
import { BY_NAME } from './by-name.ts';
import { DEBATED } from './debated.ts';
import { etcd } from './etcd.ts';
import { EXHIBITS } from './exhibits.ts';
import type { Deployment, LockUnderTest } from './lock.ts';
import { memory } from './memory.ts';
import { noLock } from './no-lock.ts';
import { postgres } from './postgres.ts';
import { redisGetset } from './redis-getset.ts';
import { redisSimple } from './redis-simple.ts';
import { redlock } from './redlock.ts';
import { zk } from './zk.ts';

export { BY_NAME } from './by-name.ts';
export { DEBATED } from './debated.ts';
export { openerIn } from './edited-package.ts';
export { EXHIBITS } from './exhibits.ts';
export type { Deployment, LockUnderTest, LockView, Needs, RealServers } from './lock.ts';

/** The built-in locks, in display order. To add one: its file, and its line here. */
export const LOCKS: readonly LockUnderTest[] = [
  memory,
  redisSimple,
  redisGetset,
  redlock,
  zk,
  postgres,
  etcd,
];

/** The control: the same work without a lock. */
export const CONTROL: LockUnderTest = noLock;

const ALL: readonly LockUnderTest[] = [CONTROL, ...LOCKS, ...EXHIBITS, ...DEBATED, ...BY_NAME];

interface LockColumn {
  readonly lock: LockUnderTest;
  readonly deployment: Deployment;
}

const LOCK_COLUMNS: readonly LockColumn[] = ALL.flatMap((lock) =>
  lock.on.map((deployment) => ({ lock, deployment })),
);

/** All names of locks and their columns. */
export const LOCK_NAMES: readonly string[] = [
  ...new Set(LOCK_COLUMNS.flatMap(({ lock, deployment }) => [lock.name, deployment.id])),
];

/** The columns of the matrix: built-in locks on simulated servers. */
export const MATRIX_COLUMNS: readonly string[] = LOCKS.flatMap(({ on }) =>
  on.flatMap(({ id, nodes, like }) => (nodes === undefined || like !== undefined ? [] : id)),
);

/** The columns of the laboratory: the control, and built-in locks on real servers. */
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
 * @throws RangeError for an unknown column
 */
export function columnNamed(id: string): Column {
  const place = lockColumnOf(id);
  if (place === undefined) throw new RangeError(`unknown column ${id}`);
  return columnAt(place);
}

/** The sign of a column, by its id: the colour of its lock, and its own glyph. */
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

/** The deployment of a column. */
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
 * The column of a built-in lock on the same kind of servers, one or several; the same faults apply to both.
 * @throws RangeError if no built-in lock uses such servers
 */
export function counterpartOf(subject: Pick<Subject, 'nodes' | 'ensemble' | 'servers'>): string {
  const column = MATRIX_COLUMNS.find((each) => {
    const own = subjectOf(each);
    return kindOf(own) === kindOf(subject) && own.nodes > 1 === subject.nodes > 1;
  });
  if (column === undefined) throw new RangeError('no built-in lock uses such servers');
  return column;
}

/** A registered column, a size of a lock, or a column of the laboratory: `name/…`. */
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

/** A built-in lock as the simulator tests it, by its name or with a size (`redlock-4`). */
export function builtInSubject(name: string): Subject | undefined {
  const place = lockColumnOf(name);
  if (place === undefined || place.deployment.isReplicated === true) return undefined;
  return simulated(place);
}

/**
 * The lock of a column. A column with replicas is the lock itself: schedules of faults that need a replica put one behind
 * every server.
 * @throws RangeError for a column without a built-in lock
 */
export function subjectOf(column: string): Subject {
  const place = lockColumnOf(column);
  const subject = place === undefined ? undefined : simulated(place);
  if (subject === undefined) throw new RangeError(`${column} is not a built-in lock`);
  return subject;
}

function simulated({ lock, deployment }: LockColumn): Subject | undefined {
  const { id, nodes, isReplicated = false, topology } = deployment;
  const { patience = lock.promises.patience } = deployment;
  if (topology !== undefined) {
    const size = nodes ?? lock.on[0].nodes ?? 1;
    return { ...subjectOn(lock, id, size), topology, ...(patience && { patience }) };
  }
  if (nodes === undefined) return undefined;
  const subject = subjectOn(lock, isReplicated ? lock.name : id, nodes);
  const { open, waiterOf } = deployment;
  return {
    ...subject,
    ...(patience && { patience }),
    ...(open && { open: (view, host) => open(view, host) }),
    ...(waiterOf && { waiterOf }),
  };
}

/** A lock on a number of servers, as the simulator tests it. */
function subjectOn(
  { needs, open, load, promises, wire, modeOf }: LockUnderTest,
  name: string,
  nodes: number,
): Subject {
  return {
    name,
    nodes,
    servers: needs,
    ...(serverKind(needs)?.isEnsemble && { ensemble: true }),
    ...promises,
    ...wire,
    ...(open === undefined ? {} : { open: (view, host) => open(view, host) }),
    ...(load === undefined ? {} : { load }),
    ...(modeOf && { modeOf }),
  };
}
