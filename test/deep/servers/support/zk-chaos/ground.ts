import { createHost } from '@holdfast/core';
import { clientSessions, type ZooKeeperSession } from '@holdfast/zk';
import { SessionReplyError } from '@holdfast/zk/port';
import type { ZooKeeperEnsemble } from '../../../../../harness/test/kit/real-servers.ts';
import { LEDGER } from './ledger.ts';

/**
 * What healthy servers disagree on. Servers of ZooKeeper 3.8.0 have come apart here when leaders were lost under load; that
 * followers lose part of their history then is known (ZOOKEEPER-4541, 4712, 4785). From there on one server shows another
 * tree than the rest, and no client can keep a promise about it.
 */
export interface Rift {
  /** How much of what others show each server does not. */
  readonly missing: readonly number[];
  readonly paths: ReadonlySet<string>;
  /** The servers that most others do not agree with. */
  readonly odd: readonly number[];
}

const SESSION_MS = 30_000;
const LOCKS = '/holdfast/v1/locks';

/** A session past all proxies, and so long that no fault ends it. */
export function sessionAt(servers: readonly string[]): Promise<ZooKeeperSession> {
  const options = { servers, sessionTimeoutMs: SESSION_MS, auth: undefined };
  return clientSessions(options, createHost().runtime)(performance.now() + SESSION_MS);
}

/** As {@link riftIn}; a server that does not even give a session, of three that say that they serve, is a doubt. */
export function mindOf(ensemble: ZooKeeperEnsemble): Promise<Rift | 'one' | 'unknown'> {
  return riftIn(ensemble).then(
    (rift) => rift ?? 'one',
    () => 'unknown',
  );
}

/**
 * Undefined where all agree. Every path is made once and deleted once, and who was asked later has caught up with more. So
 * what one server shows, then another one does not, and then the first one still shows, the other has missed.
 */
async function riftIn({ addresses }: ZooKeeperEnsemble): Promise<Rift | undefined> {
  const sessions = await Promise.all(addresses.map((address) => sessionAt([address])));
  try {
    const looks: (readonly ReadonlySet<string>[])[] = [];
    for (let look = 0; look < 3; look++) looks.push(await Promise.all(sessions.map(pathsAt)));
    const [first = [], then = [], last = []] = looks;
    const lasting = first.map((paths, at) => [...paths].filter((path) => last[at]?.has(path)));
    const missed = then.map((paths) => new Set(lasting.flat().filter((path) => !paths.has(path))));
    const paths = new Set(missed.flatMap((each) => [...each]));
    if (paths.size === 0) return undefined;
    return { missing: missed.map(({ size }) => size), paths, odd: oddOf(missed) };
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
  }
}

/**
 * Has those who are alone take over what the others show. Not from the leader, if it is one of them: what it shows may stand
 * in its memory alone, and be gone at its next restart.
 */
export async function heal(ensemble: ZooKeeperEnsemble, { odd }: Rift): Promise<void> {
  for (const server of odd) await ensemble.servers[server]?.restartEmpty();
}

/** All but the largest group of those that have missed the same. */
function oddOf(missed: readonly ReadonlySet<string>[]): readonly number[] {
  const kinds = missed.map((paths) => [...paths].toSorted().join(' '));
  const sizeOf = (kind: string): number => kinds.filter((each) => each === kind).length;
  const most = kinds.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
  return kinds.flatMap((kind, server) => (kind === most ? [] : [server]));
}

async function pathsAt(session: ZooKeeperSession): Promise<ReadonlySet<string>> {
  await session.sync(LEDGER);
  const keys = await below(session, LOCKS);
  const folders = [LEDGER, ...keys];
  return new Set((await Promise.all(folders.map((folder) => below(session, folder)))).flat());
}

async function below(session: ZooKeeperSession, folder: string): Promise<readonly string[]> {
  try {
    return (await session.list(folder)).children.map((name) => `${folder}/${name}`);
  } catch (error) {
    // Nobody has locked yet, or the container is being reaped.
    if (error instanceof SessionReplyError && error.code === 'NONODE') return [];
    throw error;
  }
}
