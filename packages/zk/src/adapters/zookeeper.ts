import { isMainThread } from 'node:worker_threads';
import { ConfigError, type Runtime } from '@holdfast/core';
import {
  type Opening,
  type OpenSession,
  SessionUnavailable,
  type ZooKeeperSession,
} from '../port.ts';
import type { NativeConstructor } from './zookeeper/client.ts';
import { NativeSession } from './zookeeper/session.ts';

/** Options of sessions through npm `zookeeper`. */
export interface NativeSessionOptions {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  /** The node below which all paths are, with a leading slash; default: the root. */
  readonly chroot?: string | undefined;
  /** The requested session timeout T in ms; the servers decide within their bounds. Default 30 000. */
  readonly sessionTimeoutMs?: number | undefined;
}

/**
 * Opens sessions through npm `zookeeper` 7, for services that use it already. Its defects are listed in
 * docs/reference/zk-client.md; `zk-client` has none of them. The library is loaded with the first session.
 * @throws ConfigError (from the opener) if the library is not installed, or on a worker thread
 */
export function nativeSessions(options: NativeSessionOptions, runtime: Runtime): OpenSession {
  return async (deadlineMs, opening) =>
    open(await loadNative(), { ...opening, options, runtime, deadlineMs });
}

interface NativeOpening extends Opening {
  readonly options: NativeSessionOptions;
  readonly runtime: Runtime;
  readonly deadlineMs: number;
}

async function open(Native: NativeConstructor, opening: NativeOpening): Promise<ZooKeeperSession> {
  const { options, runtime, signal } = opening;
  if (signal?.aborted === true) throw aborted();
  const requestedMs = options.sessionTimeoutMs ?? 30_000;
  const address = options.servers.join(',');
  const client = new Native();
  const session = new NativeSession(client, { address, requestedMs, runtime });
  const opened = connection(session, opening);
  client.init({
    connect: `${address}${options.chroot ?? ''}`,
    timeout: requestedMs,
    // By default the library takes eleven reads in a row that complete no reply, as of a long list, for an expiry.
    response_counter_limit: 1e9,
    // Otherwise every client starts with the first server.
    host_order_deterministic: false,
  });
  await opened;
  return session;
}

function connection(
  session: ZooKeeperSession,
  { runtime, deadlineMs, signal, awaited = true }: NativeOpening,
): Promise<void> {
  return new Promise((done, fail) => {
    const end = (error?: Error): void => {
      cancel();
      forget();
      signal?.removeEventListener('abort', abort);
      if (error === undefined) return done();
      fail(error);
      void session.close();
    };
    const cancel = runtime.timer(
      deadlineMs - runtime.now().monotonicMs,
      () => end(new SessionUnavailable(`no server of ${session.address} answered in time`)),
      { awaited },
    );
    const abort = (): void => end(aborted());
    signal?.addEventListener('abort', abort);
    const forget = session.onState((state) => {
      if (state === 'connected') end();
      else if (state !== 'disconnected') end(new SessionUnavailable(`the session is ${state}`));
    });
  });
}

function aborted(): SessionUnavailable {
  return new SessionUnavailable('the opening was aborted');
}

/**
 * Loads the library on demand: it is optional and native.
 * @throws ConfigError that names what to install, or why the library cannot be used here
 */
export async function loadNative(
  load: () => Promise<unknown> = loadInstalled,
): Promise<NativeConstructor> {
  // Importing it on a second thread while the first one uses it is a segmentation fault.
  if (!isMainThread)
    throw new ConfigError(
      'npm zookeeper cannot be used in worker threads: use @holdfast/zk-client',
    );
  const module = await load().catch(notInstalled);
  if (isNative(module)) return module.default;
  throw new ConfigError('unknown version of the client library zookeeper: use version 7');
}

/** Bundlers report a missing library as an error unless the failure is handled right here. */
function loadInstalled(): Promise<unknown> {
  return import(/* webpackIgnore: true */ 'zookeeper').catch(notInstalled);
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
