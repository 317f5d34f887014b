import type { Host } from '@holdfast/core';
import { capabilities, nativeSessions, openZk, type ZkOptions } from '@holdfast/zk';
import type { Config, ZkConfig } from '../config/types.ts';
import { parseZkUrl } from '../config/zk-url.ts';
import type { BackendModule } from './module.ts';

export const zkModule: BackendModule = {
  capabilities,
  open: async (config, host) => {
    if (!isZk(config)) throw new TypeError(`${config.backend} is not zk`);
    return await openZk(optionsOf(config, host), host);
  },
};

/** The name decides, once a configuration has been checked. */
export function isZk(config: Config): config is ZkConfig {
  return config.backend === 'zk';
}

function optionsOf({ url, client, tls, namespace, ttlMs }: ZkConfig, host: Host): ZkOptions {
  const { servers, chroot, auth, sessionTimeoutMs: said } = parseZkUrl(url);
  const sessionTimeoutMs = ttlMs ?? said;
  if (client !== 'zookeeper') return { servers, chroot, auth, tls, sessionTimeoutMs, namespace };
  const open = nativeSessions({ servers, chroot, sessionTimeoutMs }, host.runtime);
  return { open, sessionTimeoutMs, namespace };
}
