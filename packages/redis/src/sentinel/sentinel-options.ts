import type { HostPort } from '../adapters/clients.ts';

/** The address to connect to for each address that sentinels or a cluster give, `host:port`; those that are missing are used as they are. */
export type NatMap =
  | Readonly<Record<string, HostPort>>
  | ((address: string) => HostPort | null | undefined);

/** Options for a URL of sentinels. The log-in of the data nodes, in the URL, is never sent to a sentinel. */
export interface SentinelOptions {
  /** The user to log in to the sentinels with. */
  readonly sentinelUsername?: string | undefined;
  /** The password of the sentinels. Default: none. */
  readonly sentinelPassword?: string | undefined;
  /** True, or options of `tls.connect`: sentinels over TLS. Default: as the data nodes are. */
  readonly sentinelTls?: boolean | object | undefined;
  /** For servers behind NAT, also those of a cluster: by the `host:port` that they are given as, the server to connect to. */
  readonly natMap?: NatMap | undefined;
}
