import type { ChildProcess } from 'node:child_process';
import { ChildProcesses } from './child-processes.ts';
import { freePorts, onFreePorts } from './free-ports.ts';
import { javaVersion } from './java-version.ts';
import { findRedisServer, redisServerVersion } from './redis-install.ts';
import { Resource } from './resource.ts';
import { ServerProcess, type ServerProcessParts } from './server-process.ts';
import { Supervisor } from './supervisor.ts';
import { ZooKeeperEnsemble, type ZooKeeperEnsembleOptions } from './zookeeper-ensemble.ts';
import { findZooKeeper } from './zookeeper-install.ts';

/** Where the laboratory gets its processes from; none of them outlives this one. */
export interface Plant {
  /** A new folder that is removed when this process is gone. */
  folder(prefix: string): string;
  remove(folder: string): void;
  /** Ends this child, too, when this process is gone. */
  watch(child: ChildProcess): void;
  process(parts: ServerProcessParts): ServerProcess;
  /** Starts something on ports that were free a moment ago; on others where somebody has taken one meanwhile. */
  onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T>;
  /** Where effects are judged. `gone` hears that it has ended, though nobody closed it. */
  resource(logPath: string, gone: () => void): Promise<{ readonly port: number; close(): void }>;
  /** Undefined where it is not installed. */
  readonly redis: { readonly binary: string; readonly version: string } | undefined;
  readonly zookeeper:
    | {
        readonly version: string;
        /** Undefined where it does not say. */
        javaVersion(): string | undefined;
        start(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble>;
      }
    | undefined;
}

/** What is installed on this machine, under the supervisor of this process. */
export function plant(env: NodeJS.ProcessEnv): Plant {
  const supervisor = Supervisor.get();
  const binary = findRedisServer(env);
  const install = findZooKeeper(env);
  return {
    folder: (prefix) => supervisor.folder(prefix),
    remove: (folder) => supervisor.remove(folder),
    watch: (child) => supervisor.watch(child),
    process: (parts) => new ServerProcess(parts),
    onFreePorts: (count, start) => onFreePorts(count, freePorts, start),
    resource,
    redis: binary === undefined ? undefined : { binary, version: redisServerVersion() ?? '' },
    zookeeper:
      install === undefined
        ? undefined
        : {
            version: install.version ?? '',
            javaVersion: () => javaVersion(install.java),
            start: (options) => ZooKeeperEnsemble.start(options),
          },
  };
}

async function resource(
  logPath: string,
  gone: () => void,
): Promise<{ readonly port: number; close(): void }> {
  const processes = new ChildProcesses();
  const { port, ended } = await Resource.start(processes, logPath);
  let isClosed = false;
  void ended.then(() => {
    if (!isClosed) gone();
  });
  const close = (): void => {
    isClosed = true;
    processes.close();
  };
  return { port, close };
}
