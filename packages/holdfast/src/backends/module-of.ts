import type { Backend, Host } from '@holdfast/core';
import type { ResolvedConfig } from '../config/source.ts';
import { builtIn, type Config } from './built-in.ts';
import type { BackendModule } from './record.ts';

/** Loads the backend of a configuration: code for imported ones only if it is needed, since it costs start-up time. */
export async function moduleOf({ config, folder }: ResolvedConfig): Promise<BackendModule<Config>> {
  const record = builtIn(config.backend);
  if (record !== undefined) return await record.load();
  const { importBackend } = await import('./import-backend.ts');
  return await importBackend(config.backend, folder);
}

/** Opens the backend of a configuration as it is, without locks and without a fencing epoch. */
export async function openBackend(resolved: ResolvedConfig, host: Host): Promise<Backend> {
  return await (await moduleOf(resolved)).open(resolved.config, host);
}
