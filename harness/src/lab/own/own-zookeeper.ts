import { systemRuntime } from '@holdfast/core';
import { clientSessions } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { parseZkUrl } from 'holdfast/internal';
import type { OwnServers } from '../index.ts';
import { ANSWER_MS, proxiedUrls, tlsBy, withoutBrackets } from './own-address.ts';
import { zooKeeperAt } from './zookeeper-at.ts';
import { sweep as sweepZooKeeper } from './zookeeper-sweep.ts';

/** A ZooKeeper of the user’s. */
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
    removeNamespace: (namespace) => sweepZooKeeper(config, namespace),
  };
}

/** Nobody asks for less than this. */
const SESSION_MS_MIN = 100;

/** What servers make of a session that was asked to be as short as can be. */
async function shortestSession({ url, tls }: ZkConfig): Promise<number> {
  const { servers, chroot, auth } = parseZkUrl(url);
  const runtime = systemRuntime();
  const options = { servers, chroot, auth, tls, sessionTimeoutMs: SESSION_MS_MIN };
  const open = clientSessions(options, runtime);
  const session = await open(runtime.now().monotonicMs + ANSWER_MS);
  await session.close();
  return session.timeoutMs;
}
