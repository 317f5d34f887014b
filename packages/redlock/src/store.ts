import type { Host } from '@holdfast/core';
import type { PendingReleases } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import type { NodeRegistry } from './node-registry.ts';

/** What the contenders and grants of one backend share. */
export interface Store {
  readonly nodes: readonly RedisNode[];
  /** How many of the nodes must agree. */
  readonly quorum: number;
  readonly registry: NodeRegistry;
  readonly host: Host;
  readonly pendingReleases: PendingReleases;
}

/** What one node did, as an event tells it. */
export interface NodeReport {
  readonly outcome: string;
  readonly key?: string;
  readonly tookMs?: number;
  readonly cause?: unknown;
}

/** Tells what one node did, so that an operator sees which is slow, down, refusing, or has lost its data. */
export function reportNode(host: Host, node: RedisNode, report: NodeReport): void {
  host.emit({ type: 'node', backend: NAME, node: node.address, ...report });
}
