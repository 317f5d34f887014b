import {
  BackendUnavailableError,
  type Health,
  type Inspection,
  LockError,
  type NodeHealth,
  parseOwner,
  type Release,
} from '@holdfast/core';
import {
  expectReply,
  failureOf,
  foreignKeyError,
  healthOf,
  isDoubt,
  isInteger,
  isValue,
  isZeroOrOne,
  messageOf,
  operatorCallOptions,
  outcomeOf,
} from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FORCE, FOREIGN, INSPECT } from './scripts.ts';
import { reportNode, type Store, type StoredKeys, withoutPlace } from './store.ts';
import { blockingOf } from './validity.ts';

type NodeReply<R extends Reply = Reply> =
  | { readonly node: RedisNode; readonly reply: R }
  | { readonly node: RedisNode; readonly cause: unknown };

/**
 * Returns the holder of a key: the contender that has a majority, or may have one with the votes of nodes that did not
 * reply.
 * @throws BackendUnavailableError if fewer than a majority of the nodes replied; LockError
 */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key } = keys;
  const send = async (node: RedisNode): Promise<StoredReply> => {
    const reply = await node.script(INSPECT, [keys.vote], [], operatorCallOptions(store.host));
    return expectReply(INSPECT.name, reply, isStoredReply);
  };
  const answers = await requestAll(store, key, send);
  const replies = repliesIn(answers);
  const silentCount = answers.length - replies.length;
  throwForeign(key, answers);
  if (replies.length < store.quorum) throw unanswered(store, key, answers);
  return inspection(key, replies.flatMap(voteIn), store.quorum - silentCount);
}

interface StoredVote {
  readonly owner: string;
  readonly contender: string;
  readonly stored: string;
  readonly leftMs: number;
}

function voteIn([stored, leftMs]: StoredReply): StoredVote[] {
  if (stored === null) return [];
  const owner = withoutPlace(stored);
  const contender = parseOwner(owner)?.contender;
  return contender === undefined ? [] : [{ owner, contender, stored, leftMs }];
}

/** Counts votes by contender: after a healing the owner values of one hold differ from node to node by n. */
function inspection(key: string, votes: readonly StoredVote[], needed: number): Inspection {
  const byContender = new Map<string, StoredVote[]>();
  for (const vote of oncePerPlace(votes)) {
    byContender.set(vote.contender, [...(byContender.get(vote.contender) ?? []), vote]);
  }
  const [most = []] = [...byContender.values()].toSorted((a, b) => b.length - a.length);
  const longest = most.toSorted((a, b) => b.leftMs - a.leftMs);
  const [first] = longest;
  if (first === undefined || most.length < needed) return { key, held: false };
  const remainingMs = longest[Math.max(0, needed - 1)]?.leftMs;
  const holder = parseOwner(first.owner)?.label;
  return { key, held: true, owner: first.owner, holder, remainingMs };
}

/** Counts the vote of each place once: seen twice, it is the vote of one server behind two addresses. */
function oncePerPlace(votes: readonly StoredVote[]): readonly StoredVote[] {
  const seen = new Set<string>();
  return votes.filter(({ owner, stored }) => {
    const isNew = !seen.has(stored);
    // A value that an older release stored has no place.
    if (stored !== owner) seen.add(stored);
    return isNew;
  });
}

/**
 * Deletes a hold, whoever holds it: once a majority of the nodes is cleared, no contender holds the key.
 * @throws BackendUnavailableError if nothing was done; LockError if a majority of the nodes holds something foreign
 */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, vote, channel } = keys;
  const send = async (node: RedisNode): Promise<Reply> => {
    const reply = await node.script(FORCE, [vote, channel], [], operatorCallOptions(store.host));
    return FOREIGN.has(reply) ? reply : expectReply(FORCE.name, reply, isZeroOrOne);
  };
  const answers = await requestAll(store, key, send);
  const replies = repliesIn(answers);
  const cleared = replies.filter(isZeroOrOne).length;
  if (cleared >= store.quorum) {
    return { kind: replies.includes(1) ? 'released' : 'not-held' };
  }
  throwForeign(key, answers);
  const isUnknown = answers.some((answer) => 'cause' in answer && isDoubt(answer.cause));
  if (!isUnknown && cleared === 0) throw unanswered(store, key, answers);
  return { kind: 'unknown', cause: unanswered(store, key, answers) };
}

/** @throws LockError if so many nodes hold something foreign, or refuse, that no majority is left */
function throwForeign(key: string, answers: readonly NodeReply[]): void {
  const errors = answers.flatMap((answer) => refusalIn(key, answer));
  const [first] = errors;
  if (first !== undefined && errors.length >= blockingOf(answers.length)) throw first;
}

function refusalIn(key: string, answer: NodeReply): LockError[] {
  const context = { backend: NAME, key, node: answer.node.address };
  if ('cause' in answer) {
    const failure = failureOf(answer.cause, context);
    return failure.kind === 'refused' ? [failure.error] : [];
  }
  const foreign = FOREIGN.get(answer.reply);
  return foreign === undefined ? [] : [foreignKeyError(foreign, context)];
}

/** Owner value, and its remaining ms. */
type StoredReply = readonly [string | null, number];

function isStoredReply(reply: Reply): reply is StoredReply {
  if (!Array.isArray(reply) || reply.length !== 2) return false;
  const [owner, leftMs]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs);
}

/** Checks every node; healthy as long as a majority replies and takes writes. */
export async function health({ nodes, host, quorum, registry }: Store): Promise<Health> {
  const checked = await Promise.all(
    nodes.map(async (node): Promise<NodeHealth> => {
      const healthy = await healthOf(node, host);
      const duplicate = registry.duplicate(node);
      return duplicate === undefined ? healthy : { ...healthy, ok: false, detail: duplicate };
    }),
  );
  const up = checked.filter(({ ok }) => ok).length;
  return { ok: up >= quorum, nodes: checked };
}

async function requestAll<R extends Reply>(
  { nodes, host, registry }: Store,
  key: string,
  send: (node: RedisNode) => Promise<R>,
): Promise<readonly NodeReply<R>[]> {
  return await Promise.all(
    nodes.map(async (node): Promise<NodeReply<R>> => {
      try {
        const reply = await send(node);
        // The reply of one server behind two addresses counts once.
        await registry.ensureAdmitted(node);
        return { node, reply };
      } catch (cause) {
        reportNode(host, node, { outcome: outcomeOf(cause), key, cause });
        return { node, cause };
      }
    }),
  );
}

function repliesIn<R extends Reply>(answers: readonly NodeReply<R>[]): R[] {
  return answers.flatMap((answer) => ('reply' in answer ? [answer.reply] : []));
}

function unanswered({ quorum }: Store, key: string, answers: readonly NodeReply[]): LockError {
  const causes = answers.flatMap((answer) => ('cause' in answer ? [answer.cause] : []));
  const answered = answers.length - causes.length;
  const why = causes.map(messageOf).join('; ');
  const message = `${NAME}: ${answered} of ${answers.length} nodes answered about key ${JSON.stringify(key)}, and ${quorum} are needed: ${why}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause: causes[0] });
}
