import { ConfigError } from '@holdfast/core';
import type { Host } from '@holdfast/core/backend';
import { NodeNotAcknowledged, NodeReplyError, type RedisNode } from '../port.ts';
import { classifyReply } from '../replies.ts';
import { messageOf } from './lock-errors.ts';
import { operatorCallOptions } from './operator.ts';

/**
 * Rehearses once, when `backend` is opened, what each of its grants will do: waits for `replicas` replicas. If too few
 * acknowledge, it warns only. Replicas restart too, and a service that starts meanwhile must not fail for good; until they
 * are back every attempt fails, and says why. A node that was not reached is not waited for. On a cluster each master
 * waits for its own.
 * @example
 * ```ts
 * await checkReplicas(node, host, 'my-lock', 2); // warns if two replicas do not acknowledge
 * ```
 * @throws ConfigError if the user may not send `WAIT`, or the server does not know it
 */
export async function checkReplicas(
  node: RedisNode,
  host: Host,
  backend: string,
  replicas: number,
): Promise<void> {
  if (node.cluster !== undefined) {
    const masters = await node.cluster.masters(operatorCallOptions(host)).catch(() => []);
    await Promise.all(masters.map((master) => checkReplicas(master, host, backend, replicas)));
    return;
  }
  if (node.connections === 0) return;
  const { deadlineMs } = operatorCallOptions(host);
  try {
    // Any command will do: the wait covers all that the server wrote before it.
    await node.command(['HELLO'], { deadlineMs, acknowledged: { replicas, byMs: deadlineMs } });
  } catch (cause) {
    if (isRefused(cause)) {
      const message = `${backend}: waitReplicas needs WAIT, which ${node.address} refuses: ${messageOf(refusalOf(cause))}`;
      throw new ConfigError(message, { backend, cause });
    }
    const message = `${messageOf(cause)}; with waitReplicas: ${replicas} nothing can be locked until they do`;
    host.emit({ type: 'warning', backend, code: 'few-replicas', message, cause });
  }
}

function isRefused(cause: unknown): boolean {
  const refusal = refusalOf(cause);
  return refusal instanceof NodeReplyError && classifyReply(refusal) === 'refused';
}

function refusalOf(cause: unknown): unknown {
  return cause instanceof NodeNotAcknowledged ? cause.cause : cause;
}
