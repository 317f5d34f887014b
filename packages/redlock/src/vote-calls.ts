import { isZeroOrOne, lifetimeOf, UnexpectedReply } from '@holdfast/redis';
import type { RedisNode, Reply, Script, Undo } from '@holdfast/redis/port';
import type { StoredKeys } from './keys.ts';
import type { VoteRequest } from './node-vote.ts';
import { QUIETLY, RELEASE } from './scripts/release.ts';
import { RENEW } from './scripts/renew.ts';

/** Lengthens one vote. Resolves with 1, or 0 where it is not ours any more. @throws UnexpectedReply, and what `node.script` throws */
export async function renewVote(
  node: RedisNode,
  { vote, channel }: StoredKeys,
  { owner, ttlMs, deadlineMs }: Omit<VoteRequest, 'from'>,
): Promise<0 | 1> {
  const args = [owner, `${ttlMs}`];
  return expectZeroOrOne(
    node,
    RENEW,
    await node.script(RENEW, [vote, channel], args, { deadlineMs }),
  );
}

/** Gives one vote back. Resolves with 1, or 0 where it was not ours any more. @throws UnexpectedReply, and what `node.script` throws */
export async function releaseVote(
  node: RedisNode,
  { vote, channel }: StoredKeys,
  { owner, quietly, deadlineMs }: { owner: string; quietly: boolean; deadlineMs: number },
): Promise<0 | 1> {
  const args = quietly ? [owner, QUIETLY] : [owner];
  return expectZeroOrOne(
    node,
    RELEASE,
    await node.script(RELEASE, [vote, channel], args, { deadlineMs }),
  );
}

/** Gives back what a question may have won that was not answered. */
export function undoOf({ vote, channel }: StoredKeys, { owner, from, ttlMs }: VoteRequest): Undo {
  return {
    args: ['EVAL', RELEASE.source, '2', vote, channel, owner],
    keepUntilMs: from.monotonicMs + lifetimeOf(from, ttlMs).ms,
  };
}

/** A reply that this script never gives. */
export function unexpectedReply(
  { address }: RedisNode,
  { name }: Script,
  reply: Reply,
): UnexpectedReply {
  return new UnexpectedReply(`${address}: ${name}`, reply);
}

function expectZeroOrOne(node: RedisNode, script: Script, reply: Reply): 0 | 1 {
  if (isZeroOrOne(reply)) return reply;
  throw unexpectedReply(node, script, reply);
}
