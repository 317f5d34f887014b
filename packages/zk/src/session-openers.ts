import type { Runtime } from '@holdfast/core';
import type { ClientOptions } from './adapters/sockets.ts';
import type { NativeSessionOptions } from './adapters/zookeeper.ts';
import type { OpenSession } from './port.ts';

/**
 * Sessions through `@holdfast/zk-client`, as `openZk` opens them for `servers`: to wrap them, or to look at the tree
 * oneself. The client is loaded with the first session, so that nothing else needs Node.
 * @throws ConfigError (from the opener) for options that cannot be right, a chroot that is not there, refused credentials
 */
export function clientSessions(options: ClientOptions, runtime: Runtime): OpenSession {
  return async (deadlineMs) => {
    const adapter = await import('./adapters/sockets.ts');
    return await adapter.openSocketSessions(options, runtime)(deadlineMs);
  };
}

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
