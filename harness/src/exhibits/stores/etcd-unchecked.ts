import type { Runtime } from '@holdfast/core/backend';
import type { EtcdClient } from '@holdfast/etcd';
import type { NaiveCall, NaiveLock } from './naive.ts';

/**
 * DO NOT USE. etcd's lock recipe without the look at its own key: whoever has no key in front of it holds.
 *
 * Where it comes from: the lock service of etcd until 3.4.3 (https://jepsen.io/analyses/etcd-3.4.3, section 3.3): updates were
 * lost although all clients locked.
 *
 * What breaks it: a lease may expire while its client waits, and its key goes with it. Then no key is in front of it, and none
 * of its own is there: the next client in the queue holds, too.
 */
export function etcdUnchecked(client: EtcdClient, runtime: Runtime): NaiveLock {
  const places = new Map<string, Place>();

  async function enter({ key, owner, ttlMs, deadlineMs }: NaiveCall): Promise<Place> {
    const lease = BigInt(1 + Math.floor(runtime.random() * LEASE_ID_MAX));
    await client.grant({ id: lease, ttlSeconds: Math.ceil(ttlMs / 1_000) }, deadlineMs);
    const put = { kind: 'put', key: `${key}/${owner}`, value: owner, lease } as const;
    const { header } = await client.txn({ compare: [], success: [put], failure: [] }, deadlineMs);
    const place = { lease, createRevision: header.revision };
    places.set(owner, place);
    return place;
  }

  return {
    name: 'etcd-unchecked',
    flaw: 'it does not look whether its own key is still there when no other is in front',
    validity: 'from-request',

    async take(call) {
      const known = places.get(call.owner);
      // The reply would say that there is no such lease.
      if (known !== undefined) await client.keepAlive(known.lease, call.deadlineMs);
      const { createRevision } = known ?? (await enter(call));
      const { reads } = await client.txn(
        {
          compare: [],
          success: [
            {
              kind: 'read',
              key: `${call.key}/`,
              end: `${call.key}0`,
              maxCreateRevision: createRevision - 1n,
              limit: 1,
            },
          ],
          failure: [],
        },
        call.deadlineMs,
      );
      return reads[0]?.length === 0;
    },

    async give({ owner, deadlineMs }) {
      const place = places.get(owner);
      places.delete(owner);
      if (place === undefined) return false;
      await client.revoke(place.lease, deadlineMs);
      return true;
    },
  };
}

/** A place in the queue of a key. */
interface Place {
  readonly lease: bigint;
  readonly createRevision: bigint;
}

const LEASE_ID_MAX = 2 ** 52;
