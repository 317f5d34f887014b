import { capabilities, openRedlock } from '@holdfast/redlock';
import type { Config, RedlockConfig } from '../config/types.ts';
import type { BackendModule } from './module.ts';

export const redlockModule: BackendModule = {
  capabilities,
  open: async (config, host) => {
    if (!isRedlock(config)) throw new TypeError(`${config.backend} is not redlock`);
    const { nodes: sources, library, tls, namespace, allowSmall } = config;
    return await openRedlock({ sources, library, tls, namespace, allowSmall }, host);
  },
};

/** The name decides, once a configuration has been checked. */
function isRedlock(config: Config): config is RedlockConfig {
  return config.backend === 'redlock';
}
