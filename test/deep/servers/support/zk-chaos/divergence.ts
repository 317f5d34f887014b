import { createHost } from '@holdfast/core/backend';
import { clientSessions, type ZooKeeperSession } from '@holdfast/zk';
import { SessionReplyError } from '@holdfast/zk/port';
import type { ZooKeeperEnsemble } from '../../../../../harness/test/kit/real-servers.ts';
import { LEDGER } from './write-log.ts';

/**
 * Differences between healthy servers. Servers of ZooKeeper 3.8.0 have diverged here after the loss of a leader under load;
 * it is known that followers lose part of their history then (ZOOKEEPER-4541, 4712, 4785). From then on one server shows
 * another tree than the rest, and no client can keep a promise about it.
 */
export interface Divergence {
  /** For each server, the number of paths that only the others show. */
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

/** As {@link divergenceIn}; a server that does not even give a session, of three that say that they serve, is a doubt. */
export function divergenceOf(ensemble: ZooKeeperEnsemble): Promise<Divergence | 'one' | 'unknown'> {
  return divergenceIn(ensemble).then(
    (divergence) => divergence ?? 'one',
    () => 'unknown',
  );
}

/**
 * Returns undefined if all agree. Every path is created once and deleted once, and a later reply reflects more of the history.
 * So a path is missed if one server shows it before and after another server does not.
 */
async function divergenceIn({ addresses }: ZooKeeperEnsemble): Promise<Divergence | undefined> {
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
 * Restarts the odd servers without data, so that they copy the others. If the leader is odd, its extra paths may exist in
 * its memory alone, and be lost at its next restart.
 */
export async function heal(ensemble: ZooKeeperEnsemble, { odd }: Divergence): Promise<void> {
  for (const server of odd) await ensemble.servers[server]?.restartEmpty();
}

/** Returns all servers but the largest group with equal missing paths. */
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
