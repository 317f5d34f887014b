import { callDeadlineMs, type Host, type NodeHealth } from '@holdfast/core';
import { parseDescription } from './describe.ts';
import { UnexpectedReply } from './outcome.ts';
import { NodeReplyError, type RedisNode, type Reply } from './port.ts';

/**
 * Asks a node how it is, once: HELLO, which every user may send, and whose answer tells whether it takes writes; a
 * master that a failover made a replica answers, and can keep no lock. Where a proxy knows no HELLO, PING. Never rejects.
 */
export async function healthOf(node: RedisNode, { runtime }: Host): Promise<NodeHealth> {
  const { address } = node;
  const from = runtime.now();
  try {
    // An operator's call has no ttl to go by.
    const hello = await requestHello(node, from.monotonicMs + callDeadlineMs(undefined));
    const roundTripMs = runtime.elapsedMs(from);
    const { role } = parseDescription(hello, '');
    if (role !== 'replica') return { node: address, ok: true, roundTripMs };
    return { node: address, ok: false, roundTripMs, detail: 'is a replica, which takes no writes' };
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { node: address, ok: false, detail };
  }
}

async function requestHello(node: RedisNode, deadlineMs: number): Promise<readonly Reply[]> {
  let hello: Reply;
  try {
    hello = await node.command(['HELLO'], { deadlineMs });
  } catch (error) {
    if (!(error instanceof NodeReplyError) || error.code !== 'ERR') throw error;
    const pong = await node.command(['PING'], { deadlineMs });
    if (pong !== 'PONG') throw new UnexpectedReply('PING', pong);
    return [];
  }
  if (!Array.isArray(hello)) throw new UnexpectedReply('HELLO', hello);
  return hello;
}
