import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { load } from '../built.ts';

interface ZkClient {
  readonly Session: {
    open(options: { servers: readonly string[]; sessionTimeoutMs: number }): Promise<ZkSession>;
  };
}

interface ZkSession {
  create(path: string, data: string, options: { mode: string }): Promise<{ path: string }>;
  delete(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** The ZooKeeper client of Holdfast, without locks. */
export function zkClient(): Promise<ZkClient> {
  return load(
    'packages/zk-client/dist/index.js',
    (module): module is ZkClient => 'Session' in module,
  );
}

type NodeCallback<Values extends readonly unknown[]> = (
  code: number,
  text: string,
  ...values: Values
) => void;

/** The parts of npm `zookeeper` that the benchmark uses. */
interface NpmZooKeeper extends EventEmitter {
  init(config: object): unknown;
  close(): unknown;
  a_create(path: string, data: string, flags: number, answer: NodeCallback<[string]>): number;
  a_delete_(path: string, version: number, answer: NodeCallback<[]>): number;
}

/** Loads npm `zookeeper` as `@holdfast/zk` does. @throws Error if it is not installed */
export function npmZooKeeper(): new () => NpmZooKeeper {
  const zk = new URL('../../../packages/zk/package.json', import.meta.url);
  const found: unknown = createRequire(zk)('zookeeper');
  if (typeof found !== 'function') throw new Error('npm zookeeper is not a class');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own types are not importable
  return found as new () => NpmZooKeeper;
}

interface ZkLocks {
  acquire(key: string): Promise<{ release(): Promise<unknown> }>;
  use(key: string, body: () => void): Promise<void>;
  close(): Promise<void>;
}

interface Core {
  readonly createHost: () => object;
  readonly createLocks: (backend: object, host: object) => ZkLocks;
}

interface ZkModule {
  readonly openZk: (options: object, host: object) => Promise<object>;
}

/** Opens locks over the client of Holdfast. */
export async function zkLocks(
  servers: readonly string[],
  sessionTimeoutMs: number,
): Promise<ZkLocks> {
  const [{ createHost, createLocks }, { openZk }] = await Promise.all([
    load('packages/core/dist/backend.js', (module): module is Core => 'createLocks' in module),
    load('packages/zk/dist/index.js', (module): module is ZkModule => 'openZk' in module),
  ]);
  const host = createHost();
  return createLocks(await openZk({ servers, sessionTimeoutMs }, host), host);
}
