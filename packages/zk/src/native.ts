import type { Runtime } from '@holdfast/core';
import type { NativeSessionOptions } from './adapters/zookeeper.ts';
import type { OpenSession } from './port.ts';

/**
 * Sessions through npm `zookeeper`, for who runs it already; see docs/reference/zk-client.md. Its adapter is loaded with the
 * first session, so that nothing else needs Node.
 * @throws ConfigError (from the opener) when the library is not installed, or on a worker thread
 */
export function nativeSessions(options: NativeSessionOptions, runtime: Runtime): OpenSession {
  return async (deadlineMs) => {
    const adapter = await import('./adapters/zookeeper.ts');
    return await adapter.nativeSessions(options, runtime)(deadlineMs);
  };
}
