import { ConfigError } from '@holdfast/core';
import type { Host, Runtime } from '@holdfast/core/backend';
import { evictionOf, type NodeDescription, requireMaster, warningsOf } from '../describe.ts';
import type { RedisNode } from '../port.ts';
import {
  type Findings,
  isPassing,
  kindOf,
  look,
  type Member,
  type OwnNode,
  replyIn,
} from './node-findings.ts';
import { protocolFault } from './protocol-fault.ts';
import { refusalOf } from './refusal.ts';

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

/**
 * Checks a node once, when a backend is opened on it. Opening succeeds even if the node cannot be reached: a service
 * may start before its Redis does, and every attempt will report it. The backend only warns, since it does not check
 * that node again. Returns what the node reports about itself, undefined if it was not reached.
 * @example
 * ```ts
 * const description = await checkNode(node, host, { backend: 'my-lock' });
 * if (description === undefined) log(`${node.address} is down now`);
 * ```
 * @throws ConfigError if the node cannot keep locks, refuses access, or does not let its user do what locks need
 */
export async function checkNode(
  node: RedisNode,
  host: Host,
  check: NodeCheck,
): Promise<NodeDescription | undefined> {
  rejectCluster(node, check.backend);
  const [member] = (await judge(await findings(node, host, check), node, host, check)) ?? [];
  return member?.description;
}

/** @throws ConfigError for a cluster */
export function rejectCluster({ cluster, address }: RedisNode, backend: string): void {
  if (cluster === undefined) return;
  const message = `${backend} needs standalone servers, and ${address} is a cluster`;
  throw new ConfigError(message, { backend });
}

export interface CheckedStore {
  /** Why a node may evict locks; see `Backend.evicts`. */
  readonly evicts: string | false;
  /** False if nothing was reached, or could not serve yet: then the check is due once more. */
  readonly isComplete: boolean;
}

/** Checks a node, or each master of a cluster, as `checkNode` does. */
export async function checkStore(
  node: RedisNode,
  host: Host,
  check: NodeCheck,
): Promise<CheckedStore> {
  const found = await findings(node, host, check);
  const members = await judge(found, node, host, check);
  if (members === undefined)
    return { evicts: evictionOf(undefined, node.address), isComplete: false };
  const reasons = members.map((each) => evictionOf(each.description, each.node.address));
  const evicts = reasons.filter((reason) => reason !== false).join('; ') || false;
  return { evicts, isComplete: found.cause === undefined };
}

async function findings(node: RedisNode, host: Host, { own }: NodeCheck): Promise<Findings> {
  if (own === undefined) return await look(node, host);
  return await unlessFaulty(settled(node, host, own), node, host.runtime, own);
}

/** @throws ConfigError for a node that will not keep locks, whatever its user may do */
export function rejectUnfit(found: Findings, node: RedisNode, backend: string): void {
  const { members = [], cause } = found;
  // The node found by itself that its configuration is wrong: sentinels, for example, that know no such master.
  const wrong = cause instanceof Error && cause.cause instanceof ConfigError ? cause.cause : cause;
  if (wrong instanceof ConfigError)
    throw new ConfigError(`${backend}: ${wrong.message}`, { backend, cause });
  const fault = found.fault ?? refusalOf(cause, replyIn(cause));
  if (fault !== undefined)
    throw new ConfigError(`${backend}: ${node.address} ${fault}`, { backend, cause });
  for (const each of members) requireMaster(each.description, each.node.address, kindOf(node));
}

/**
 * Emits the warnings about what was found, and returns the servers; undefined if there are none.
 * @throws ConfigError
 */
export async function judge(
  found: Findings,
  node: RedisNode,
  host: Host,
  { backend, own }: NodeCheck,
): Promise<readonly Member[] | undefined> {
  rejectUnfit(found, node, backend);
  const { members, denied = [], cause } = found;
  const { address } = node;
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

/** Awaits the findings; if the node is not reached, or not soon, finds out if the source can reach it at all. */
async function unlessFaulty(
  looking: Promise<Findings>,
  node: RedisNode,
  runtime: Runtime,
  own: OwnNode,
): Promise<Findings> {
  const found = await unlessLater(looking, runtime, HANG_MS);
  const fault = await faultOf(found ?? {}, node, runtime, own);
  return fault === undefined ? await looking : { fault };
}

/** Returns why a node that was not reached never will be. */
export async function faultOf(
  { members, cause }: Findings,
  node: RedisNode,
  runtime: Runtime,
  { source, options = {} }: OwnNode,
): Promise<string | undefined> {
  const isReached = members !== undefined || (node.connections ?? 0) > 0;
  if (isReached || replyIn(cause) !== undefined) return undefined;
  return await protocolFault(source, options, runtime);
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
