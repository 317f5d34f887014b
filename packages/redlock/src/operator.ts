import { BackendUnavailableError, LockError } from '@holdfast/core';
import {
  type Health,
  type Inspection,
  type NodeHealth,
  parseOwner,
  type Release,
} from '@holdfast/core/backend';
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
  operatorError,
  outcomeOf,
  storedKeyPages,
} from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FORCE, FOREIGN, INSPECT } from './scripts.ts';
import { reportNode, type Store, type StoredKeys, VOTE, withoutPlace } from './store.ts';
import { blockingOf } from './validity.ts';

type NodeResult<R extends Reply = Reply> =
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
  const results = await requestAll(store, key, send);
  const replies = repliesIn(results);
  const silentCount = results.length - replies.length;
  throwForeign(key, results);
  if (replies.length < store.quorum) throw noMajority(store, key, results);
  return inspection(
    key,
    replies.flatMap((reply) => voteIn(reply, keys)),
    store.quorum - silentCount,
  );
}

interface StoredVote {
  readonly owner: string;
  readonly contender: string;
  readonly stored: string;
  readonly leftMs: number;
}

function voteIn([stored, leftMs]: StoredReply, { isPlain }: StoredKeys): StoredVote[] {
  if (stored === null) return [];
  const owner = withoutPlace(stored);
  // In the plain layout any value is that of a holder.
  const contender = parseOwner(owner)?.contender ?? (isPlain ? stored : undefined);
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
 * Deletes a hold of any holder: once a majority of the nodes is cleared, no contender holds the key.
 * @throws BackendUnavailableError if nothing was done; LockError if a majority of the nodes holds something foreign
 */
export async function forceRelease(store: Store, keys: StoredKeys): Promise<Release> {
  const { key, vote, channel } = keys;
  const send = async (node: RedisNode): Promise<Reply> => {
    const reply = await node.script(FORCE, [vote, channel], [], operatorCallOptions(store.host));
    return FOREIGN.has(reply) ? reply : expectReply(FORCE.name, reply, isZeroOrOne);
  };
  const results = await requestAll(store, key, send);
  const replies = repliesIn(results);
  const cleared = replies.filter(isZeroOrOne).length;
  if (cleared >= store.quorum) {
    return { kind: replies.includes(1) ? 'released' : 'not-held' };
  }
  throwForeign(key, results);
  const isUnknown = results.some((result) => 'cause' in result && isDoubt(result.cause));
  if (!isUnknown && cleared === 0) throw noMajority(store, key, results);
  return { kind: 'unknown', cause: noMajority(store, key, results) };
}

/** @throws LockError if so many nodes hold something foreign, or refuse, that no majority is left */
function throwForeign(key: string, results: readonly NodeResult[]): void {
  const errors = results.flatMap((result) => refusalIn(key, result));
  const [first] = errors;
  if (first !== undefined && errors.length >= blockingOf(results.length)) throw first;
}

function refusalIn(key: string, result: NodeResult): LockError[] {
  const context = { backend: NAME, key, node: result.node.address };
  if ('cause' in result) {
    const failure = failureOf(result.cause, context);
    return failure.kind === 'refused' ? [failure.error] : [];
  }
  const foreign = FOREIGN.get(result.reply);
  return foreign === undefined ? [] : [foreignKeyError(foreign, context)];
}

/** Owner value, and its remaining ms. */
type StoredReply = readonly [string | null, number];

function isStoredReply(reply: Reply): reply is StoredReply {
  if (!Array.isArray(reply) || reply.length !== 2) return false;
  const [owner, leftMs]: readonly Reply[] = reply;
  return isValue(owner) && isInteger(leftMs);
}

/**
 * Lists the keys that have a vote, on as many nodes as share one with every majority.
 * @throws BackendUnavailableError if fewer nodes reply; LockError
 */
export async function* heldKeys(
  { nodes, quorum, host }: Store,
  namespace: string,
): AsyncGenerator<readonly string[]> {
  let failures = 0;
  for (const [at, node] of nodes.entries()) {
    if (at - failures > nodes.length - quorum) return;
    try {
      yield* storedKeyPages(node, { host, namespace, suffix: VOTE });
    } catch (cause) {
      failures += 1;
      reportNode(host, node, { outcome: outcomeOf(cause), cause });
      if (failures >= quorum) throw operatorError(cause, { backend: NAME, key: '' });
    }
  }
}

/** Checks every node; healthy as long as a majority replies and takes writes. */
export async function health({ nodes, host, quorum, registry }: Store): Promise<Health> {
  const checked = await Promise.all(
    nodes.map(async (node): Promise<NodeHealth> => {
      const healthy = await healthOf(node, host);
      // One that has connected anew may lead to another node's server by now.
      if (healthy.ok) await registry.recheck(node);
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
): Promise<readonly NodeResult<R>[]> {
  return await Promise.all(
    nodes.map(async (node): Promise<NodeResult<R>> => {
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

function repliesIn<R extends Reply>(results: readonly NodeResult<R>[]): R[] {
  return results.flatMap((result) => ('reply' in result ? [result.reply] : []));
}

function noMajority({ quorum }: Store, key: string, results: readonly NodeResult[]): LockError {
  const causes = results.flatMap((result) => ('cause' in result ? [result.cause] : []));
  const replied = results.length - causes.length;
  const why = causes.map(messageOf).join('; ');
  const message = `${NAME}: ${replied} of ${results.length} nodes replied about key ${JSON.stringify(key)}, and ${quorum} are needed: ${why}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause: causes[0] });
}
