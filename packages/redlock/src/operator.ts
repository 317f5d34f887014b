import {
  BackendUnavailableError,
  callDeadlineMs,
  type Health,
  type Inspection,
  LockError,
  type NodeHealth,
  parseOwner,
  type Release,
} from '@holdfast/core';
import {
  healthOf,
  isInteger,
  isValue,
  isZeroOrOne,
  outcomeOf,
  UnexpectedReply,
} from '@holdfast/redis';
import {
  type CallOptions,
  NodeDoubt,
  type RedisNode,
  type Reply,
  type Script,
} from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import type { StoredKeys } from './keys.ts';
import { type ForeignReply, failureOf, foreignKeyError, isForeign } from './replies.ts';
import { FORCE } from './scripts/force.ts';
import { INSPECT } from './scripts/inspect.ts';
import { reportNode, type Store } from './store.ts';
import { blockingOf } from './validity.ts';
import { withoutPlace } from './with-place.ts';

type NodeReply<R extends Reply = Reply> =
  | { readonly node: RedisNode; readonly reply: R }
  | { readonly node: RedisNode; readonly cause: unknown };

/**
 * What stands under a key: who has, or may have with the votes of nodes that did not answer, a majority.
 * @throws BackendUnavailableError where fewer than a majority of the nodes answered; LockError
 */
export async function inspect(store: Store, keys: StoredKeys): Promise<Inspection> {
  const { key } = keys;
  const send = (node: RedisNode): Promise<StoredReply> =>
    expected(
      node.script(INSPECT, [keys.vote], [], operatorCallOptions(store)),
      INSPECT,
      isStoredReply,
    );
  const answers = await requestAll(store, key, send);
  const votes = repliesIn(answers).flatMap(voteIn);
  const silentCount = answers.length - repliesIn(answers).length;
  throwForeign(key, answers);
  if (answers.length - silentCount < store.quorum) throw unanswered(store, key, answers);
  return inspection(key, votes, store.quorum - silentCount);
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

/** The values of one hold differ from node to node by n, after a healing. */
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

/** The vote of one place, when it is seen at two, is that of one server behind both. */
function oncePerPlace(votes: readonly StoredVote[]): readonly StoredVote[] {
  const seen = new Set<string>();
  return votes.filter(({ owner, stored }) => {
    const isNew = !seen.has(stored);
    // What an older release stored has no place.
    if (stored !== owner) seen.add(stored);
    return isNew;
  });
}

/**
 * Removes a hold, whoever has it: with a majority of the nodes cleared, nobody has one.
 * @throws BackendUnavailableError where nothing was done; LockError where a majority of nodes holds no lock of ours
 */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, vote, channel } = keys;
  const send = (node: RedisNode): Promise<ForcedReply> =>
    expected(
      node.script(FORCE, [vote, channel], [], operatorCallOptions(store)),
      FORCE,
      isForcedReply,
    );
  const answers = await requestAll(store, key, send);
  const replies = repliesIn(answers);
  const cleared = replies.filter(isZeroOrOne).length;
  if (cleared >= store.quorum) {
    return { kind: replies.includes(1) ? 'released' : 'not-held' };
  }
  throwForeign(key, answers);
  if (!answers.some(isDoubt) && cleared === 0) throw unanswered(store, key, answers);
  return { kind: 'unknown', cause: unanswered(store, key, answers) };
}

/** @throws LockError where so many nodes hold something foreign, or refuse, that no majority is left */
function throwForeign(key: string, answers: readonly NodeReply[]): void {
  const errors = answers.flatMap((answer) => refusalIn(key, answer));
  const [first] = errors;
  if (first !== undefined && errors.length >= blockingOf(answers.length)) throw first;
}

function refusalIn(key: string, answer: NodeReply): LockError[] {
  const place = { key, node: answer.node.address };
  if ('cause' in answer) {
    const failure = failureOf(answer.cause, place);
    return failure.kind === 'refused' ? [failure.error] : [];
  }
  return isForeign(answer.reply) ? [foreignKeyError(answer.reply, place)] : [];
}

/** Whether a node may have done what nobody knows of. */
function isDoubt(answer: NodeReply): boolean {
  if (!('cause' in answer)) return false;
  return answer.cause instanceof NodeDoubt || answer.cause instanceof UnexpectedReply;
}

/** @throws UnexpectedReply for a reply that this script never gives */
async function expected<R extends Reply>(
  asked: Promise<Reply>,
  { name }: Script,
  isExpected: (reply: Reply) => reply is R,
): Promise<R> {
  const reply = await asked;
  if (!isExpected(reply)) throw new UnexpectedReply(name, reply);
  return reply;
}

/** Owner value, and the ms that it has left. */
type StoredReply = readonly [string | null, number];

function isStoredReply(reply: Reply): reply is StoredReply {
  if (!Array.isArray(reply) || reply.length !== 2) return false;
  const [owner, leftMs]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs);
}

/** Whether anybody had the vote; or that something foreign stands there. */
type ForcedReply = 0 | 1 | ForeignReply;

function isForcedReply(reply: Reply): reply is ForcedReply {
  return isZeroOrOne(reply) || isForeign(reply);
}

/** Asks every node; healthy as long as a majority answers and takes writes. */
export async function health({ nodes, host, quorum, registry }: Store): Promise<Health> {
  const asked = await Promise.all(
    nodes.map(async (node): Promise<NodeHealth> => {
      const healthy = await healthOf(node, host);
      const duplicate = registry.duplicate(node);
      return duplicate === undefined ? healthy : { ...healthy, ok: false, detail: duplicate };
    }),
  );
  const up = asked.filter(({ ok }) => ok).length;
  return { ok: up >= quorum, nodes: asked };
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
        // One server behind two addresses answers once.
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** An operator's call has no ttl to go by. */
function operatorCallOptions({ host }: Store): CallOptions {
  return { deadlineMs: host.runtime.now().monotonicMs + callDeadlineMs(undefined) };
}
