import type { EtcdClient } from '@holdfast/etcd/port';
import type { RedisNode, Script } from '@holdfast/redis/port';
import { SessionReplyError, type ZooKeeperSession } from '@holdfast/zk/port';
import type { NaiveLock } from '../../harness/test/kit/locks.ts';

/**
 * What decides who holds in the release before readers and permits: the code of commit 609e4c92, reduced to what it sends.
 * It must not follow changes of the recipes.
 */

/** `ACQUIRE` of packages/redis-simple/src/scripts.ts. */
const ACQUIRE: Script = {
  name: 'acquire',
  source: `
local held = redis.call('GET', KEYS[1])
if held then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  if not holder then return -2 end
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end
end
local stored = redis.call('GET', KEYS[2])
local time = redis.call('TIME')
local token = tonumber(time[1]) * 1000000 + tonumber(time[2])
if stored then
  local last = tonumber(stored)
  if not last or last >= 9007199254740991 then return -3 end
  if last >= token then token = last + 1 end
end
local text = string.format('%.0f', token)
local expiry = string.format('%.0f', math.floor(token / 1000) + 86400000)
redis.call('SET', KEYS[2], text, 'PXAT', expiry)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return text
`,
};

/** `RELEASE`, without the notification. */
const RELEASE: Script = {
  name: 'release',
  source: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[2], 'released')
return 1
`,
};

/** It claims readers, so that a search may ask it for a writer as it asks the others. */
const EARLIER = { flaw: 'it knows no modes', validity: 'from-request', modes: ['shared'] } as const;

const LOCK = 'holdfast:v1:{k}:lock';
const FENCE = 'holdfast:v1:{k}:fence';
const CHANNEL = 'holdfast:v1:{k}:channel';

export function earlierRedisSimple(node: RedisNode): NaiveLock {
  return {
    ...EARLIER,
    name: 'earlier-redis-simple',
    take: async ({ owner, ttlMs, deadlineMs }) => {
      const reply = await node.script(ACQUIRE, [LOCK, FENCE], [owner, `${ttlMs}`], { deadlineMs });
      return typeof reply === 'string';
    },
    give: async ({ owner, deadlineMs }) =>
      (await node.script(RELEASE, [LOCK, CHANNEL], [owner], { deadlineMs })) === 1,
  };
}

/** `NAME` of packages/zk/src/queue.ts: other nodes are no contenders. The lowest sequence holds. */
const NAME = /^(.+?)(?:-lock-|__lock__)(-?\d{9,10})$/;
const ROOTS = ['/holdfast', '/holdfast/v1', '/holdfast/v1/locks'];
const CONTAINER = '/holdfast/v1/locks/k';

export function earlierZk(open: () => Promise<ZooKeeperSession>): NaiveLock {
  let opened: Promise<ZooKeeperSession> | undefined;
  const session = (): Promise<ZooKeeperSession> => (opened ??= open());
  const places = new Map<string, string>();
  return {
    ...EARLIER,
    name: 'earlier-zk',
    take: async ({ owner }) => {
      const on = await session();
      const own = places.get(owner) ?? (await enter(on, owner.replace(/:.*/, '')));
      places.set(owner, own);
      await on.sync(CONTAINER);
      const { children } = await on.list(CONTAINER);
      const queue = children.flatMap((name) => {
        const digits = NAME.exec(name)?.[2];
        return digits === undefined ? [] : [{ name, sequence: Number(digits) }];
      });
      const [first] = queue.toSorted((a, b) => a.sequence - b.sequence);
      return own.endsWith(`/${first?.name}`);
    },
    give: async ({ owner }) => {
      const own = places.get(owner);
      if (own === undefined) return false;
      await (await session()).delete(own);
      return true;
    },
  };
}

async function enter(session: ZooKeeperSession, contender: string): Promise<string> {
  for (const path of [...ROOTS, CONTAINER]) {
    const mode = path === CONTAINER ? 'container' : 'persistent';
    await session.create(path, '', { mode }).catch((error: unknown) => {
      if (!(error instanceof SessionReplyError && error.code === 'NODEEXISTS')) throw error;
    });
  }
  const name = `${CONTAINER}/${contender}-lock-`;
  return (await session.create(name, '', { mode: 'ephemeral-sequential' })).path;
}

/** The prefix of a lock in packages/etcd/src/keys.ts: the oldest key below it holds. */
const PREFIX = 'holdfast/v1/locks/k/';
const LEASE_ID = 7_000_000n;

export function earlierEtcd(client: EtcdClient): NaiveLock {
  const leases = new Map<string, bigint>();
  return {
    ...EARLIER,
    name: 'earlier-etcd',
    take: async ({ owner, ttlMs, deadlineMs }) => {
      const key = `${PREFIX}${owner.replace(/:.*/, '')}-1`;
      const known = leases.get(owner);
      if (known === undefined) {
        const lease = LEASE_ID + BigInt(leases.size);
        leases.set(owner, lease);
        await client.grant({ id: lease, ttlSeconds: Math.ceil(ttlMs / 1_000) }, deadlineMs);
        const put = { kind: 'put', key, value: owner, lease } as const;
        await client.txn({ compare: [], success: [put], failure: [] }, deadlineMs);
      } else await client.keepAlive(known, deadlineMs);
      const all = { kind: 'read', key: PREFIX, end: 'holdfast/v1/locks/k0' } as const;
      const { reads } = await client.txn({ compare: [], success: [all], failure: [] }, deadlineMs);
      const queue = reads[0]?.toSorted((a, b) => (a.createRevision < b.createRevision ? -1 : 1));
      return queue?.[0]?.key === key;
    },
    give: async ({ owner, deadlineMs }) => {
      const lease = leases.get(owner);
      if (lease === undefined) return false;
      await client.revoke(lease, deadlineMs);
      return true;
    },
  };
}
