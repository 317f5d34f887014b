import { BackendUnavailableError } from '@holdfast/core';
import { type Runtime, systemRuntime } from '@holdfast/core/backend';
import {
  clientSessions,
  type OpenSession,
  SessionReplyError,
  type ZooKeeperSession,
} from '@holdfast/zk';
import { parseZkUrl, type ZkConfig } from 'holdfast/internal';
import type { OwnServers } from '../index.ts';
import { proxiedUrls, REPLY_MS, tlsBy, withoutBrackets } from './own-address.ts';

/** A ZooKeeper ensemble of the user's. */
export async function onZooKeeper(config: ZkConfig): Promise<OwnServers> {
  const { servers } = parseZkUrl(config.url);
  const targets = servers.map((server) => {
    const { hostname, port } = new URL(`tcp://${server}`);
    return { host: withoutBrackets(hostname), port: Number(port) };
  });
  const named = tlsBy(config.tls, targets, config.tls !== undefined);
  return {
    backend: config.backend,
    description: await zooKeeperAt(config),
    targets,
    ttlMsMin: await shortestSession(config),
    opening: (ports, namespace, ttlMs) => ({
      backend: config.backend,
      url: proxiedUrls(config.url, ports),
      tls: named,
      namespace,
      ttlMs,
    }),
    removeNamespace: (namespace) => sweep(config, namespace),
  };
}

/** The shortest session timeout that is requested, in ms. */
const SESSION_MS_MIN = 100;

/** The timeout that servers grant if the shortest is requested. */
async function shortestSession({ url, tls }: ZkConfig): Promise<number> {
  const { servers, chroot, auth } = parseZkUrl(url);
  const runtime = systemRuntime();
  const options = { servers, chroot, auth, tls, sessionTimeoutMs: SESSION_MS_MIN };
  const open = clientSessions(options, runtime);
  const session = await open(runtime.now().monotonicMs + REPLY_MS);
  await session.close();
  return session.timeoutMs;
}

/** The time in which a server may open a session, in ms. */
const OPEN_MS = 5_000;
/** The timeout of sessions that hold no lock, in ms. */
const SESSION_MS = 10_000;

/**
 * Describes the ensemble of a configuration for people, once it has replied.
 * @throws ConfigError; BackendUnavailableError if it does not reply
 */
export async function zooKeeperAt(config: ZkConfig): Promise<string> {
  const where = parseZkUrl(config.url).servers.join(', ');
  try {
    await inSession(config, (session) => session.sync('/'));
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    throw new BackendUnavailableError(`ZooKeeper at ${where} does not reply: ${cause.message}`, {
      backend: config.backend,
      cause,
    });
  }
  return `ZooKeeper at ${where}`;
}

/** Runs `work` in its own session. */
async function inSession<T>(
  config: ZkConfig,
  work: (session: ZooKeeperSession) => Promise<T>,
): Promise<T> {
  const runtime = systemRuntime();
  const session = await sessionsOf(config, runtime)(runtime.now().monotonicMs + OPEN_MS);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** Opens sessions as the backend of this configuration does. */
export function sessionsOf({ url, tls }: ZkConfig, runtime: Runtime): OpenSession {
  const { servers, chroot, auth } = parseZkUrl(url);
  return clientSessions({ servers, chroot, auth, tls, sessionTimeoutMs: SESSION_MS }, runtime);
}

function isUnavailable(cause: unknown): cause is Error {
  return (
    cause instanceof Error && (cause.name === 'SessionUnavailable' || cause.name === 'SessionDoubt')
  );
}

/** Removes the whole tree of one of our namespaces, which no client uses any more. */
export function sweep(config: ZkConfig, namespace: string): Promise<void> {
  return inSession(config, (session) => remove(session, `/${encodeURIComponent(namespace)}`));
}

async function remove(session: ZooKeeperSession, path: string): Promise<void> {
  try {
    const { children } = await session.list(path);
    await Promise.all(children.map((name) => remove(session, `${path}/${name}`)));
    await session.delete(path);
  } catch (cause) {
    // It is gone already, or another client has added to it meanwhile.
    const isLeft =
      cause instanceof SessionReplyError && ['NONODE', 'NOTEMPTY'].includes(cause.code);
    if (!isLeft) throw cause;
  }
}
