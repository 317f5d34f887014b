import { BackendUnavailableError, systemRuntime } from '@holdfast/core';
import { describeNode, openRedisNode } from '@holdfast/redis';
import { type Resolved, resolveSource } from '../config/source.ts';
import { RedisServer, redisServerVersion } from './redis-server.ts';

/** A server to compare on: one of our own, or the user's. */
export interface Server {
  readonly kind: 'local' | 'own';
  /** A URL, or the path of a configuration file: what every process opens by itself. */
  readonly source: string;
  readonly resolved: Resolved;
  /** For people, without credentials. */
  readonly description: string;
  /** Of a process of ours. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

/** A redis-server on loopback, empty, gone afterwards. */
export async function startLocalServer(): Promise<Server> {
  const server = await RedisServer.start();
  return {
    kind: 'local',
    source: server.url,
    resolved: await resolveSource(server.url),
    description: `redis-server ${redisServerVersion() ?? ''} on loopback`,
    pid: server.pid,
    close: () => server.close(),
  };
}

const ANSWER_MS = 3_000;

/**
 * The server that a URL or configuration file names.
 * @throws ConfigError; BackendUnavailableError where it does not answer
 */
export async function ownServer(source: string): Promise<Server> {
  const resolved = await resolveSource(source);
  return {
    kind: 'own',
    source,
    resolved,
    description: await description(resolved),
    pid: undefined,
    close: () => Promise.resolve(),
  };
}

/** Asks it once: a server that is down is better noticed now than by every process for itself. */
async function description({ config }: Resolved): Promise<string> {
  const { backend } = config;
  const url = 'url' in config ? config.url : undefined;
  if (backend !== 'redis-simple' || typeof url !== 'string') return `backend ${backend}`;
  const runtime = systemRuntime();
  const node = await openRedisNode(url, { runtime });
  try {
    const deadlineMs = runtime.now().monotonicMs + ANSWER_MS;
    const { product, version } = await describeNode(node, { deadlineMs });
    return `${product} ${version ?? ''} at ${node.address}`;
  } catch (cause) {
    throw new BackendUnavailableError(`${node.address} does not answer: ${messageOf(cause)}`, {
      backend,
      cause,
    });
  } finally {
    await node.close();
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
