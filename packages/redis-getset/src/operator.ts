import { callDeadlineMs, type Health, type Inspection, type Release } from '@holdfast/core';
import { healthOf, isValue, isZeroOrOne, UnexpectedReply } from '@holdfast/redis';
import { NodeDoubt } from '@holdfast/redis/port';
import { foreignKeyError, operatorError } from './replies.ts';
import { isExpired, parseStamp } from './stamp.ts';
import { command, type Store, type StoredKey } from './store.ts';

/** What stands under a key, as our own wall clock sees it. @throws BackendUnavailableError, LockError */
export async function inspect(store: Store, storedKey: StoredKey): Promise<Inspection> {
  const { key } = storedKey;
  const { wallMs } = store.host.runtime.now();
  const stamp = await storedHold(store, storedKey);
  if (stamp === undefined || isExpired(stamp, wallMs)) return { key, held: false };
  return { key, held: true, owner: `${stamp}`, remainingMs: stamp + 1 - wallMs };
}

/** Removes a lock that is not past, whoever has it. @throws BackendUnavailableError, LockError */
export async function forceRelease(store: Store, storedKey: StoredKey): Promise<Release> {
  const { wallMs } = store.host.runtime.now();
  const stamp = await storedHold(store, storedKey);
  // A stamp that is past may be taken over at this very moment: a DEL could remove the next holder's.
  if (stamp === undefined || isExpired(stamp, wallMs)) return { kind: 'not-held' };
  try {
    const reply = await command(
      store,
      storedKey.key,
      ['DEL', storedKey.lock],
      operatorDeadlineMs(store),
    );
    if (!isZeroOrOne(reply)) throw new UnexpectedReply('DEL', reply);
    return { kind: reply === 1 ? 'released' : 'not-held' };
  } catch (cause) {
    if (cause instanceof NodeDoubt || cause instanceof UnexpectedReply)
      return { kind: 'unknown', cause };
    throw operatorError(cause, storedKey.key);
  }
}

async function storedHold(store: Store, { key, lock }: StoredKey): Promise<number | undefined> {
  let reply: string | null;
  try {
    const answer = await command(store, key, ['GET', lock], operatorDeadlineMs(store));
    if (!isValue(answer)) throw new UnexpectedReply('GET', answer);
    reply = answer;
  } catch (cause) {
    throw operatorError(cause, key);
  }
  if (reply === null) return undefined;
  const stamp = parseStamp(reply);
  if (stamp === undefined) throw foreignKeyError(key);
  return stamp;
}

/** Whether it answers and takes writes. */
export async function health({ node, host }: Store): Promise<Health> {
  const asked = await healthOf(node, host);
  return { ok: asked.ok, nodes: [asked] };
}

/** An operator's call has no ttl to go by. */
function operatorDeadlineMs({ host }: Store): number {
  return host.runtime.now().monotonicMs + callDeadlineMs(undefined);
}
