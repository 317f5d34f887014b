import { recordKeyOf } from '../keys.ts';
import { EtcdUnavailable, type StoredKey } from '../port.ts';
import type { Store } from '../store.ts';
import type { Readers } from './mode-position.ts';

const RECORD = /^(\d+):(\d+)$/;
/** Each try follows a change of the record by another reader, which mostly covers this one, too. */
const TRIES_MAX = 20;

/**
 * Returns the token that readers beside each other share: the revision that created the key of the first of them who asks. So
 * it is larger than that of every writer before, and smaller than that of every writer behind.
 *
 * One key for each lock records it, with the last revision that it covers. A reader is granted only once it is covered, and
 * whoever covers one covers all that it sees. If the first reader in front is covered, a reader joins it. If it is not, none
 * of those that exist now was granted, and a new token is due.
 */
export async function readerToken(
  { requests, layout }: Store,
  lock: string,
  own: bigint,
  { first, last }: Readers,
  deadlineMs: number,
): Promise<bigint> {
  const key = recordKeyOf(layout, lock);
  let [stored]: readonly StoredKey[] = (await requests.range({ kind: 'read', key }, deadlineMs))
    .keys;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const record = parseRecord(stored?.value);
    if (record !== undefined && own <= record.upTo) return record.token;
    const isJoining = record !== undefined && first <= record.upTo;
    const token = isJoining ? record.token : own;
    const reply = await requests.txn(
      {
        compare: [{ key, target: 'mod', revision: stored?.modRevision ?? 0n }],
        success: [{ kind: 'put', key, value: `${last}:${token}` }],
        failure: [{ kind: 'read', key }],
      },
      deadlineMs,
    );
    if (reply.succeeded) return token;
    [stored] = reply.reads[0] ?? [];
  }
  throw new EtcdUnavailable('other readers changed the record of their token again and again');
}

function parseRecord(
  value: string | undefined,
): { readonly upTo: bigint; readonly token: bigint } | undefined {
  const [, upTo, token] = RECORD.exec(value ?? '') ?? [];
  if (upTo === undefined || token === undefined) return undefined;
  return { upTo: BigInt(upTo), token: BigInt(token) };
}
