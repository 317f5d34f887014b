import { ConfigError, callDeadlineMs, type Host } from '@holdfast/core';
import { describeNode, type NodeDescription, requireMaster, warningsOf } from './describe.ts';
import { NodeReplyError, type RedisNode } from './port.ts';
import { classifyReply } from './replies.ts';

/**
 * Looks at a node once, when `backend` is opened on it. A node that cannot be reached is no reason not to open: a
 * service may start before its Redis does, and every attempt will say so. It is a reason to warn, since nobody looks
 * again. What it says about itself, undefined where it was not reached.
 * @throws ConfigError where the node cannot keep locks, or does not let us in
 */
export async function checkNode(
  node: RedisNode,
  host: Host,
  backend: string,
): Promise<NodeDescription | undefined> {
  const description = await describe(node, host, backend);
  if (description === undefined) return undefined;
  requireMaster(description, node.address);
  for (const { code, message } of warningsOf(description, node.address)) {
    host.emit({ type: 'warning', backend, code, message });
  }
  return description;
}

async function describe(
  node: RedisNode,
  host: Host,
  backend: string,
): Promise<NodeDescription | undefined> {
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  try {
    return await describeNode(node, { deadlineMs });
  } catch (cause) {
    const refusal = refusalIn(cause);
    if (refusal !== undefined) {
      const message = `${backend}: ${node.address} refused access: ${refusal.message}`;
      throw new ConfigError(message, { backend, cause });
    }
    const message = `${node.address} did not report its version, role and eviction policy`;
    host.emit({ type: 'warning', backend, code: 'unchecked-node', message, cause });
    return undefined;
  }
}

/** A wrong password stays wrong, unlike a server that is down. */
function refusalIn(cause: unknown): NodeReplyError | undefined {
  const reply =
    cause instanceof Error && cause.cause instanceof NodeReplyError ? cause.cause : cause;
  const isRefusal = reply instanceof NodeReplyError && classifyReply(reply) === 'refused';
  return isRefusal ? reply : undefined;
}
