import type { Runtime } from '@holdfast/core';
import type { ClientOptions } from './adapters/sockets.ts';
import type { NativeSessionOptions } from './adapters/zookeeper.ts';
import type { OpenSession } from './port.ts';

/**
 * Opens sessions through `@holdfast/zk-client`, as `openZk` does for `servers`. Use it to wrap sessions, or to inspect the
 * tree. The client is loaded with the first session, so that nothing else needs Node.
 * @example
 * ```ts
 * const options = { servers: ['zk1:2181'], sessionTimeoutMs: 10_000, auth: undefined };
 * const open = clientSessions(options, host.runtime);
 * const backend = await openZk({ open }, host);
 * ```
 * @throws ConfigError (from the opener) for invalid options, a missing chroot, refused credentials
 */
export function clientSessions(options: ClientOptions, runtime: Runtime): OpenSession {
  return async (deadlineMs) => {
    const adapter = await import('./adapters/sockets.ts');
    return await adapter.openSocketSessions(options, runtime)(deadlineMs);
  };
}

/**
 * Opens sessions through npm `zookeeper`, for services that use it already; see docs/reference/zk-client.md. The adapter is
 * loaded with the first session, so that nothing else needs Node.
 * @example
 * ```ts
 * const open = nativeSessions({ servers: ['zk1:2181'], sessionTimeoutMs: 10_000 }, host.runtime);
 * const backend = await openZk({ open }, host);
 * ```
 * @throws ConfigError (from the opener) if the library is not installed, or on a worker thread
 */
export function nativeSessions(options: NativeSessionOptions, runtime: Runtime): OpenSession {
  return async (deadlineMs) => {
    const adapter = await import('./adapters/zookeeper.ts');
    return await adapter.nativeSessions(options, runtime)(deadlineMs);
  };
}
