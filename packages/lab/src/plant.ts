import type { ChildProcess } from 'node:child_process';

/** One server of our own, which can be stopped, killed and started again, and ends when this process does. */
export interface ServerProcess {
  /** Undefined while it does not run. */
  readonly pid: number | undefined;
  /** Resolves once it serves. */
  restart(): Promise<void>;
  /** SIGSTOP. */
  stop(): void;
  /** SIGCONT. */
  resume(): void;
  /** SIGKILL. */
  kill(): void;
  /** SIGKILL; resolves once it is gone. */
  end(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

export interface ServerProcessParts {
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The text of the configuration file that these name, where they do. */
  readonly config?: string | undefined;
  isReady(said: string): Promise<boolean> | boolean;
}

/** What one server was started with. */
export interface Started {
  readonly command: string;
  readonly args: readonly string[];
  /** The text of its configuration file. */
  readonly config?: string | undefined;
}

/** A member of a ZooKeeper ensemble of our own. */
export interface ZooKeeperMember {
  readonly port: number;
  readonly started: Started;
  mode(): Promise<'standalone' | 'leader' | 'follower' | undefined>;
  restart(): Promise<void>;
  /** Without its data. */
  restartEmpty(): Promise<void>;
  /** Keeps what its log holds by now. */
  keep(): void;
  /** With what was kept, and without what was logged since. */
  restartTorn(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
}

/** One way in which one server reaches another: followers dial their leader by `quorum`. */
export interface ZooKeeperLink {
  readonly from: number;
  readonly to: number;
  readonly use: 'quorum' | 'election';
  readonly port: number;
}

export interface ZooKeeperServers {
  readonly servers: readonly ZooKeeperMember[];
  leader(): Promise<ZooKeeperMember | undefined>;
  close(): Promise<void>;
}

export interface ZooKeeperWishes {
  /** Default 3. */
  readonly size?: number;
  /** After how many ticks without a word leader and follower give each other up. */
  readonly syncLimit?: number;
  /** More lines of zoo.cfg. */
  readonly config?: Readonly<Record<string, string | number>>;
  /** The port at which `from` is told to reach `to`. */
  readonly peersThrough?: (link: ZooKeeperLink) => number | Promise<number>;
  /** What runs each server, before its own command: `['env', 'NAME=value']`. */
  readonly through?: readonly string[];
}

/**
 * Where the laboratory gets its processes from. Whoever runs it hands this in: it has the supervisor that ends all of
 * them when this process is gone, however it went.
 */
export interface Plant {
  /** A new folder that is removed when this process is gone. */
  folder(prefix: string): string;
  remove(folder: string): void;
  /** Ends this child, too, when this process is gone. */
  watch(child: ChildProcess): void;
  process(parts: ServerProcessParts): ServerProcess;
  /** Starts something on ports that were free a moment ago; on others where somebody has taken one meanwhile. */
  onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T>;
  /**
   * A process that judges effects and is never faulted: it listens on `port`, and appends to `logPath`. `gone` hears that
   * it has ended, though nobody closed it.
   */
  resource(logPath: string, gone: () => void): Promise<{ readonly port: number; close(): void }>;
  /** Undefined where it is not installed. */
  readonly redis: { readonly binary: string; readonly version: string } | undefined;
  readonly zookeeper:
    | {
        readonly version: string;
        /** Undefined where it does not say. */
        javaVersion(): string | undefined;
        start(wishes: ZooKeeperWishes): Promise<ZooKeeperServers>;
      }
    | undefined;
}
