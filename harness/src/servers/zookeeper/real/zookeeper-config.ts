/** Settings of a server that the harness starts; times in ms. */
export interface ZooKeeperSettings {
  /** ZooKeeper's unit of time: sessions expire at tick boundaries. Default 100. */
  readonly tickMs?: number | undefined;
  /** More lines of zoo.cfg, or other values for the defaults here. */
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  /** Java system properties, for example `znode.container.checkIntervalMs`. */
  readonly properties?: Readonly<Record<string, string | number>> | undefined;
}

/** Returns the text of zoo.cfg. */
export function zooKeeperConfig(
  { tickMs = 100, config }: ZooKeeperSettings,
  { port, folder }: { readonly port: number; readonly folder: string },
): string {
  const lines = {
    tickTime: tickMs,
    dataDir: folder,
    clientPort: port,
    clientPortAddress: '127.0.0.1',
    'admin.enableServer': false,
    maxClientCnxns: 0,
    '4lw.commands.whitelist': '*',
    minSessionTimeout: 2 * tickMs,
    maxSessionTimeout: 60_000,
    // Data in the page cache survives kill -9; only a power failure would need the fsync.
    forceSync: 'no',
    preAllocSize: 64,
    ...config,
  };
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Returns arguments for java: small heaps, because several servers share a machine with their clients. */
export function javaArguments(
  { properties }: ZooKeeperSettings,
  { classPath, configFile }: { readonly classPath: string; readonly configFile: string },
): readonly string[] {
  const all = {
    'zookeeper.jmx.log4j.disable': true,
    'java.net.preferIPv4Stack': true,
    'org.slf4j.simpleLogger.defaultLogLevel': 'error',
    ...properties,
  };
  const memory = ['-Xms16m', '-Xmx64m', '-Xss256k', '-XX:+UseSerialGC', '-Xshare:auto'];
  const start = ['-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];
  const settings = Object.entries(all).map(([name, value]) => `-D${name}=${value}`);
  return [...memory, ...start, ...settings, '-cp', classPath, MAIN_CLASS, configFile];
}

const MAIN_CLASS = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
