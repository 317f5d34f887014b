import type { Opening, ProxyTarget } from '../../plant/index.ts';

/** Servers that the user runs. The laboratory works on them under a name of its own, and never strikes them. */
export interface OwnServers {
  readonly backend: string;
  /** For people, without credentials. */
  readonly description: string;
  readonly targets: readonly ProxyTarget[];
  /** The shortest ttl that they grant, where they have a say in it. */
  readonly ttlMsMin: number;
  /** How a client process opens its locks, where it reaches them at these ports of loopback. */
  opening(ports: readonly number[], namespace: string, ttlMs: number): Opening;
  /** Removes all that stands under this name; rejects where it may not, or cannot. */
  removeNamespace(namespace: string): Promise<void>;
}

/** What of the user's is to be worked on. */
export interface OwnServersScope {
  readonly servers: readonly OwnServers[];
  /** Nobody else's, and no other run's. */
  readonly namespace: string;
}
