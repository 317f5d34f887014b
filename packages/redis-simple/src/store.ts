import type { Host } from '@holdfast/core';
import type { PendingReleases } from '@holdfast/redis';
import { outcomeOf } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { NAME } from './identity.ts';

/** What the contenders and grants of one backend share. */
export interface Store {
  readonly node: RedisNode;
  readonly host: Host;
  readonly pendingReleases: PendingReleases;
}

/** Tells that the node did not serve a call, so that an operator sees which is slow, down or refusing. */
export function reportNode({ node, host }: Store, key: string, cause: unknown): void {
  host.emit({
    type: 'node',
    backend: NAME,
    node: node.address,
    outcome: outcomeOf(cause),
    key,
    cause,
  });
}
