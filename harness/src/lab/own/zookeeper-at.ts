import { BackendUnavailableError, type Runtime, systemRuntime } from '@holdfast/core';
import { clientSessions, type OpenSession, type ZooKeeperSession } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { parseZkUrl } from 'holdfast/internal';

const ANSWER_MS = 5_000;
/** Nothing is held in it. */
const SESSION_MS = 10_000;

/**
 * Where the ensemble of a configuration is, for people, once it has answered.
 * @throws ConfigError; BackendUnavailableError where it does not answer
 */
export async function zooKeeperAt(config: ZkConfig): Promise<string> {
  const where = parseZkUrl(config.url).servers.join(', ');
  try {
    await inSession(config, (session) => session.sync('/'));
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    throw new BackendUnavailableError(`ZooKeeper at ${where} does not answer: ${cause.message}`, {
      backend: config.backend,
      cause,
    });
  }
  return `ZooKeeper at ${where}`;
}

/** Does something in a session of its own. */
export async function inSession<T>(
  config: ZkConfig,
  work: (session: ZooKeeperSession) => Promise<T>,
): Promise<T> {
  const runtime = systemRuntime();
  const session = await sessionsOf(config, runtime)(runtime.now().monotonicMs + ANSWER_MS);
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
