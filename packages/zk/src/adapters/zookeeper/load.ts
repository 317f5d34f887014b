import { isMainThread } from 'node:worker_threads';
import { ConfigError } from '@holdfast/core';
import type { NativeConstructor } from './client.ts';

/**
 * Only on demand: the library is optional, native, and not to be loaded where it is not used.
 * @throws ConfigError naming what to install, or why it cannot be used here
 */
export async function loadNative(
  load: () => Promise<unknown> = loadInstalled,
): Promise<NativeConstructor> {
  // To import it on a second thread while the first one uses it is a segmentation fault.
  if (!isMainThread)
    throw new ConfigError(
      'npm zookeeper cannot be used in worker threads: use @holdfast/zk-client',
    );
  const module = await load().catch(notInstalled);
  if (isNative(module)) return module.default;
  throw new ConfigError('the client library zookeeper is of a version that is not known here');
}

/** Bundlers take a missing library for an error unless a failure is handled right here. */
function loadInstalled(): Promise<unknown> {
  return import('zookeeper').catch(notInstalled);
}

function notInstalled(cause: unknown): never {
  if (cause instanceof ConfigError) throw cause;
  const how = 'npm i zookeeper (it compiles the C client, which needs a C toolchain)';
  throw new ConfigError(`the client library zookeeper is not installed: ${how}`, { cause });
}

function isNative(module: unknown): module is { readonly default: NativeConstructor } {
  return (
    typeof module === 'object' &&
    module !== null &&
    'default' in module &&
    typeof module.default === 'function' &&
    typeof module.default.prototype?.a_create === 'function'
  );
}
