import type { Host } from '@holdfast/core/backend';
import type { SentinelUrlOptions } from '../adapters/sentinel-group.ts';
import { describeNode, type NodeDescription, requireMaster } from '../describe.ts';
import type { RedisSource } from '../open.ts';
import { type CallOptions, NodeReplyError, type RedisNode } from '../port.ts';
import { classifyReply } from '../replies.ts';
import type { ServerKind } from '../server-kind.ts';
import { operatorCallOptions } from './operator.ts';
import { type Denial, denials, type Rights } from './rights.ts';

/** A node that the backend opens itself. */
export interface OwnNode {
  /** What it was opened from. */
  readonly source: RedisSource;
  /** Those that the source was opened with. */
  readonly options?: SentinelUrlOptions | undefined;
  /** The commands that its user must be permitted. */
  readonly rights: Rights;
  /** The first part of every stored name. */
  readonly namespace: string;
}

/** A server, and what it says about itself. */
export interface Member {
  readonly node: RedisNode;
  readonly description: NodeDescription;
}

/** The replies of a node, or of a cluster; `cause` is why they are not all, `fault` why they never will be. */
export interface Findings {
  /** Undefined if nothing was reached. */
  readonly members?: readonly Member[];
  readonly denied?: readonly Denial[];
  readonly cause?: unknown;
  readonly fault?: string;
}

/**
 * Asks a node about itself and, if it is the backend's own, for what its user may not do.
 * @throws ConfigError if the node will never keep locks
 */
export async function look(node: RedisNode, host: Host, own?: OwnNode): Promise<Findings> {
  const options = operatorCallOptions(host);
  // All replies are awaited, so that none is lost with the connection if the first refuses.
  const [described, asked] = await Promise.allSettled([
    membersOf(node, options),
    own === undefined ? [] : denials(node, own.rights, own.namespace, options),
  ]);
  if (described.status === 'rejected') return { cause: described.reason };
  const { value: members } = described;
  for (const each of members)
    if (each.description.role !== 'replica')
      requireMaster(each.description, each.node.address, kindOf(node));
  return asked.status === 'rejected'
    ? { members, cause: asked.reason }
    : { members, denied: asked.value };
}

/** Describes the node, or checks the addresses of a cluster and describes its masters. */
async function membersOf(node: RedisNode, options: CallOptions): Promise<readonly Member[]> {
  const { cluster } = node;
  if (cluster === undefined) return [{ node, description: await describeNode(node, options) }];
  await cluster.check(options);
  const masters = await cluster.masters(options);
  return await Promise.all(
    masters.map(async (master) => ({
      node: master,
      description: await describeNode(master, options),
    })),
  );
}

export function isPassing({ members = [], cause }: Findings): boolean {
  if (members.some(({ description }) => description.role === 'replica')) return true;
  const reply = replyIn(cause);
  return reply !== undefined && classifyReply(reply) === 'unavailable';
}

export function kindOf({ cluster }: RedisNode): ServerKind {
  return cluster === undefined ? 'standalone' : 'cluster';
}

/** Finds the error reply, of the log-in if there is no connection. */
export function replyIn(cause: unknown): NodeReplyError | undefined {
  const reply =
    cause instanceof Error && cause.cause instanceof NodeReplyError ? cause.cause : cause;
  return reply instanceof NodeReplyError ? reply : undefined;
}
