import { ConfigError } from '@holdfast/core';
import type { Host, Runtime } from '@holdfast/core/backend';
import {
  describeNode,
  evictionOf,
  type NodeDescription,
  requireMaster,
  warningsOf,
} from '../describe.ts';
import type { RedisSource } from '../open.ts';
import { type CallOptions, NodeReplyError, type RedisNode } from '../port.ts';
import { classifyReply } from '../replies.ts';
import type { ServerKind } from '../server-kind.ts';
import { operatorCallOptions } from './operator.ts';
import { protocolFault, refusalOf } from './refusal.ts';
import { type Denial, denials, type Rights } from './rights.ts';

/** For so long a node may be loading its data, or be a replica in the middle of a failover. */
const SETTLE_MS = 1_500;
const PAUSE_MS = 100;
/** A connection that takes longer may be one that never will be. */
const HANG_MS = 700;

/** What `checkNode` needs to know of the backend. */
export interface NodeCheck {
  /** The name of the backend, for errors and warnings. */
  readonly backend: string;
  /** Given if the backend opens the node itself: the node's owner knows what it speaks, and what its user may do. */
  readonly own?: OwnNode | undefined;
}

/** A node that the backend opened itself. */
interface OwnNode {
  /** What it was opened from. */
  readonly source: RedisSource;
  /** The commands that its user must be permitted. */
  readonly rights: Rights;
  /** The first part of every stored name. */
  readonly namespace: string;
}

/** A server, and what it says about itself. */
interface Member {
  readonly node: RedisNode;
  readonly description: NodeDescription;
}

/** The replies of a node, or of a cluster; `cause` is why they are not all, `fault` why they never will be. */
interface Findings {
  /** Undefined if nothing was reached. */
  readonly members?: readonly Member[];
  readonly denied?: readonly Denial[];
  readonly cause?: unknown;
  readonly fault?: string;
}

/**
 * Checks a node once, when a backend is opened on it. Opening succeeds even if the node cannot be reached: a service
 * may start before its Redis does, and every attempt will report it. The backend only warns, since it does not check
 * that node again. Returns what the node reports about itself, undefined if it was not reached.
 * @throws ConfigError if the node cannot keep locks, refuses access, or does not let its user do what locks need
 */
export async function checkNode(
  node: RedisNode,
  host: Host,
  check: NodeCheck,
): Promise<NodeDescription | undefined> {
  rejectCluster(node, check.backend);
  const [member] = (await checked(node, host, check)) ?? [];
  return member?.description;
}

/** @throws ConfigError for a cluster */
export function rejectCluster({ cluster, address }: RedisNode, backend: string): void {
  if (cluster === undefined) return;
  const message = `${backend} needs standalone servers, and ${address} is a cluster`;
  throw new ConfigError(message, { backend });
}

/** Checks a node, or each master of a cluster, as `checkNode` does. Returns why one may evict locks; see `Backend.evicts`. */
export async function checkStore(
  node: RedisNode,
  host: Host,
  check: NodeCheck,
): Promise<string | false> {
  const members = await checked(node, host, check);
  if (members === undefined) return evictionOf(undefined, node.address);
  const reasons = members.map((each) => evictionOf(each.description, each.node.address));
  return reasons.filter((reason) => reason !== false).join('; ') || false;
}

async function checked(
  node: RedisNode,
  host: Host,
  { backend, own }: NodeCheck,
): Promise<readonly Member[] | undefined> {
  const looking = own === undefined ? look(node, host) : settled(node, host, own);
  const found =
    own === undefined ? await looking : await unlessFaulty(looking, node, host.runtime, own.source);
  const { members, denied = [], cause } = found;
  const { address } = node;
  // The node found by itself that its configuration is wrong: sentinels, for example, that know no such master.
  const wrong = cause instanceof Error && cause.cause instanceof ConfigError ? cause.cause : cause;
  if (wrong instanceof ConfigError)
    throw new ConfigError(`${backend}: ${wrong.message}`, { backend, cause });
  const fault = found.fault ?? refusalOf(cause, replyIn(cause));
  if (fault !== undefined)
    throw new ConfigError(`${backend}: ${address} ${fault}`, { backend, cause });
  for (const each of members ?? [])
    requireMaster(each.description, each.node.address, kindOf(node));
  const warn = (code: string, message: string, why?: unknown): void =>
    host.emit({
      type: 'warning',
      backend,
      code,
      message,
      ...(why === undefined ? {} : { cause: why }),
    });
  if (own !== undefined && denied.length > 0) {
    const { rejectDenied } = await import('./access.ts');
    const { rights, namespace } = own;
    warn('missing-right', rejectDenied(denied, rights, { backend, address, namespace }));
  }
  if (members === undefined) {
    const message = `${address} did not report its version, role and eviction policy`;
    warn('unchecked-node', message, cause);
    return undefined;
  }
  if (cause !== undefined)
    warn('unchecked-node', `${address} cannot serve now: what its user may do is not known`, cause);
  for (const each of members)
    for (const { code, message } of warningsOf(each.description, each.node.address))
      warn(code, message);
  return members;
}

function kindOf({ cluster }: RedisNode): ServerKind {
  return cluster === undefined ? 'standalone' : 'cluster';
}

/**
 * Asks a node about itself and, if it is the backend's own, for what its user may not do.
 * @throws ConfigError if the node will never keep locks
 */
async function look(node: RedisNode, host: Host, own?: OwnNode): Promise<Findings> {
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

/** Looks until the node is what it will be. A replica that is told to write is connected to anew: it may have a new master. */
async function settled(node: RedisNode, host: Host, own: OwnNode): Promise<Findings> {
  const { runtime } = host;
  const from = runtime.now();
  for (;;) {
    const found = await look(node, host, own);
    if (!isPassing(found) || runtime.elapsedMs(from) >= SETTLE_MS) return found;
    await pause(runtime, PAUSE_MS);
  }
}

function isPassing({ members = [], cause }: Findings): boolean {
  if (members.some(({ description }) => description.role === 'replica')) return true;
  const reply = replyIn(cause);
  return reply !== undefined && classifyReply(reply) === 'unavailable';
}

/** Awaits the findings; if the node is not reached, or not soon, finds out if the source can reach it at all. */
async function unlessFaulty(
  looking: Promise<Findings>,
  node: RedisNode,
  runtime: Runtime,
  source: RedisSource,
): Promise<Findings> {
  const found = await unlessLater(looking, runtime, HANG_MS);
  const isReached = found?.members !== undefined || (node.connections ?? 0) > 0;
  if (isReached || replyIn(found?.cause) !== undefined) return await looking;
  const fault = await protocolFault(source, runtime);
  return fault === undefined ? await looking : { fault };
}

/** Returns undefined if `work` takes longer. */
async function unlessLater<T>(
  work: Promise<T>,
  runtime: Runtime,
  ms: number,
): Promise<T | undefined> {
  const limit = new AbortController();
  try {
    return await Promise.race([work, pause(runtime, ms, limit.signal)]);
  } finally {
    limit.abort();
  }
}

async function pause(runtime: Runtime, ms: number, cut?: AbortSignal): Promise<undefined> {
  await new Promise<void>((done) => {
    const cancel = runtime.timer(ms, done, { awaited: true });
    cut?.addEventListener('abort', cancel);
  });
  return undefined;
}

/** Finds the error reply, of the log-in if there is no connection. */
function replyIn(cause: unknown): NodeReplyError | undefined {
  const reply =
    cause instanceof Error && cause.cause instanceof NodeReplyError ? cause.cause : cause;
  return reply instanceof NodeReplyError ? reply : undefined;
}
