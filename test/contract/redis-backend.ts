import type { Backend, Capabilities, Host } from '@holdfast/core/backend';
import type { RedisLibrary } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';

/** The access of one process to the Redis servers of a backend: by URLs, through a client library, or by simulated nodes. */
export type Reach =
  | { readonly sources: readonly string[]; readonly library: RedisLibrary }
  | { readonly nodes: readonly RedisNode[] };

/** A backend over Redis, and what the contract has to know about it. */
export interface RedisBackend {
  /** Its folder under `packages/`. */
  readonly package: string;
  /** The difference between this row and others of the package. */
  readonly variant?: string;
  readonly servers: number;
  readonly capabilities: Capabilities;
  open(reach: Reach, host: Host): Promise<Backend>;
  /** The name under which a lock is stored. */
  lockOf(key: string): string;
  readonly flaws?: Readonly<Record<string, string>>;
  /** True if it would fail on real servers for more than its flaws. */
  readonly simulatedOnly?: boolean;
}

/** The only server, for recipes that take one. */
export function only(
  reach: Reach,
): { readonly source: string; readonly library: RedisLibrary } | { readonly node: RedisNode } {
  if ('nodes' in reach) {
    const [node] = reach.nodes;
    if (node === undefined) throw new Error('there is no node');
    return { node };
  }
  const [source] = reach.sources;
  if (source === undefined) throw new Error('there is no source');
  return { source, library: reach.library };
}
