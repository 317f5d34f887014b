/** Settings of a server that the harness starts; times in ms. */
export interface EtcdSettings {
  /** Default 20. */
  readonly heartbeatMs?: number | undefined;
  /** Leases last at least 1.5 times as long, in whole seconds. Default 300. */
  readonly electionMs?: number | undefined;
  /** More arguments of etcd. */
  readonly args?: readonly string[] | undefined;
  /** Serves clients over TLS with this certificate and key. */
  readonly tls?: EtcdTls | undefined;
}

/** Paths of PEM files. */
export interface EtcdTls {
  readonly cert: string;
  readonly key: string;
}

/** One member of a cluster, or the only one. */
export interface MemberConfig {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly peerPort: number;
  /** Tells of its health, without TLS. */
  readonly healthPort: number;
  /** `‹name›=‹url›` of each member as this one reaches it, or as the others do for itself. */
  readonly cluster: string;
}

/** Returns the arguments that start one server. */
export function etcdArguments(
  { heartbeatMs = 20, electionMs = 300, args = [], tls }: EtcdSettings,
  { name, folder, port, peerPort, healthPort, cluster }: MemberConfig,
): readonly string[] {
  const client = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const certificates =
    tls === undefined ? [] : [`--cert-file=${tls.cert}`, `--key-file=${tls.key}`];
  return [
    `--name=${name}`,
    `--data-dir=${folder}/data`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--listen-metrics-urls=http://127.0.0.1:${healthPort}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${cluster}`,
    // Members of another cluster that finds the same ports later are refused.
    `--initial-cluster-token=${cluster}`,
    `--heartbeat-interval=${heartbeatMs}`,
    `--election-timeout=${electionMs}`,
    // Data in the page cache survives kill -9; only a power failure would need the fsync.
    '--unsafe-no-fsync=true',
    '--logger=zap',
    '--log-level=error',
    ...certificates,
    ...args,
  ];
}
