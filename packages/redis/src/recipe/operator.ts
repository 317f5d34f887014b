import { callDeadlineMs, type Health, type Host, type NodeHealth } from '@holdfast/core/backend';
import { parseDescription } from '../describe.ts';
import { UnexpectedReply } from '../outcome.ts';
import {
  type CallOptions,
  type ClusterView,
  NodeReplyError,
  type RedisNode,
  type Reply,
} from '../port.ts';
import { classifyReply } from '../replies.ts';

/**
 * Returns the options of a call that no ttl limits: an operator's, or one that checks a node. Its deadline is 2 s from now.
 * @example
 * ```ts
 * const stored = await node.command(['GET', key], operatorCallOptions(host));
 * ```
 */
export function operatorCallOptions({ runtime }: Host): CallOptions {
  return { deadlineMs: runtime.now().monotonicMs + callDeadlineMs(undefined) };
}

/**
 * Returns the health of a backend on one node, or of each master of a cluster; never rejects.
 * @example
 * ```ts
 * const { ok, nodes } = await singleNodeHealth(node, host);
 * if (!ok) log(nodes.filter((each) => !each.ok));
 * ```
 */
export async function singleNodeHealth(node: RedisNode, host: Host): Promise<Health> {
  const { cluster, address } = node;
  if (cluster !== undefined) return await clusterHealth(cluster, address, host);
  const health = await healthOf(node, host);
  return { ok: health.ok, nodes: [health] };
}

async function clusterHealth(cluster: ClusterView, address: string, host: Host): Promise<Health> {
  try {
    const masters = await cluster.masters(operatorCallOptions(host));
    const nodes = await Promise.all(masters.map((master) => healthOf(master, host)));
    return { ok: nodes.every(({ ok }) => ok), nodes };
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, nodes: [{ node: address, ok: false, detail }] };
  }
}

/**
 * Checks a node once, by HELLO and PING. Every user may send HELLO, and its reply contains the role: a master that a
 * failover made a replica still replies, and can keep no lock. To PING a server replies with an error while it loads its
 * data, or may not write. Never rejects.
 * @example
 * ```ts
 * const nodes = await Promise.all([node].map((each) => healthOf(each, host)));
 * return { ok: nodes.every(({ ok }) => ok), nodes };
 * ```
 */
export async function healthOf(node: RedisNode, { runtime }: Host): Promise<NodeHealth> {
  const { address } = node;
  const from = runtime.now();
  const options = { deadlineMs: from.monotonicMs + callDeadlineMs(undefined) };
  try {
    const pong = node.command(['PING'], options);
    const [hello] = await Promise.all([requestHello(node, pong, options), rejectIfAway(pong)]);
    const roundTripMs = runtime.elapsedMs(from);
    const { role } = parseDescription(hello, '');
    if (role !== 'replica') return { node: address, ok: true, roundTripMs };
    return { node: address, ok: false, roundTripMs, detail: 'is a replica, which takes no writes' };
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { node: address, ok: false, detail };
  }
}

/** If a proxy does not know HELLO, the reply to PING has to do. */
async function requestHello(
  node: RedisNode,
  pong: Promise<Reply>,
  options: CallOptions,
): Promise<readonly Reply[]> {
  let hello: Reply;
  try {
    hello = await node.command(['HELLO'], options);
  } catch (error) {
    if (!(error instanceof NodeReplyError) || error.code !== 'ERR') throw error;
    const reply = await pong;
    if (reply !== 'PONG') throw new UnexpectedReply('PING', reply);
    return [];
  }
  if (!Array.isArray(hello)) throw new UnexpectedReply('HELLO', hello);
  return hello;
}

/** @throws NodeReplyError if the server cannot serve now. A user may have no right to send PING. */
async function rejectIfAway(pong: Promise<Reply>): Promise<void> {
  try {
    await pong;
  } catch (error) {
    if (error instanceof NodeReplyError && classifyReply(error) === 'unavailable') throw error;
  }
}
