import { systemRuntime } from '@holdfast/core/backend';
import fc from 'fast-check';
import { expect } from 'vitest';
import { EtcdStore } from '../../../harness/test/kit/etcd.ts';
import type { EtcdServer } from '../../../harness/test/kit/real-servers.ts';
import {
  type EtcdClient,
  EtcdReplyError,
  type Op,
  openGrpcClient,
  type RangeReply,
  type ReadOp,
  type Txn,
  type TxnReply,
} from '../../../packages/etcd/test/kit.ts';

const runtime = systemRuntime();
const CALL_MS = 20_000;
/** No lease expires during the test: the clocks are not compared. */
const TTL_S = 600;
const endMs = (): number => runtime.now().monotonicMs + CALL_MS;

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1');
const lease = fc.constantFrom(11n, 12n, 13n);
const read: fc.Arbitrary<ReadOp> = fc.record(
  {
    kind: fc.constant('read' as const),
    key: fc.constantFrom('a/', 'a/1', 'b/1'),
    end: fc.option(fc.constantFrom('a0', 'c'), { nil: undefined }),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    keysOnly: fc.boolean(),
    maxCreateRevision: fc.option(fc.bigInt({ min: 1n, max: 60n }), { nil: undefined }),
  },
  { requiredKeys: ['kind', 'key'] },
);
const order = fc.constantFrom({}, { latestFirst: true }, { earliestFirst: true });
const ordered = fc.tuple(read, order).map(([each, by]): ReadOp => ({ ...each, ...by }));
const put = fc.record({
  kind: fc.constant('put' as const),
  key,
  value: fc.constantFrom('x', 'ü', ''),
  lease: fc.option(lease, { nil: undefined }),
});
const deletion = fc.record({ kind: fc.constant('delete' as const), key });
/** etcd refuses a transaction that writes a key twice. */
const ops: fc.Arbitrary<readonly Op[]> = fc.uniqueArray(fc.oneof(put, deletion, ordered), {
  maxLength: 4,
  selector: (op) => (op.kind === 'read' ? Symbol('any number of reads') : op.key),
});
const comparison = fc.record({
  key,
  target: fc.constantFrom('create' as const, 'mod' as const),
  revision: fc.constantFrom(0n, 2n, 3n, 5n, 8n),
});
const step = fc.oneof(
  { arbitrary: fc.record({ grant: lease }), weight: 1 },
  { arbitrary: fc.record({ revoke: lease }), weight: 1 },
  { arbitrary: fc.record({ renew: lease }), weight: 1 },
  { arbitrary: fc.record({ range: ordered }), weight: 2 },
  {
    arbitrary: fc.record({
      txn: fc.record({
        compare: fc.array(comparison, { maxLength: 2 }),
        success: ops,
        failure: ops,
      }),
    }),
    weight: 5,
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a caller sees, without the time, and with revisions counted from the start of the sequence. */
type Seen = unknown;

async function onServer(real: EtcdClient, each: Step, offset: bigint): Promise<Seen> {
  const seen = (reply: TxnReply | RangeReply): Seen => relative(reply, offset);
  if ('grant' in each) {
    return (await real.grant({ id: each.grant, ttlSeconds: TTL_S }, endMs())).ttlSeconds;
  }
  if ('revoke' in each) {
    return revisionOf((await real.revoke(each.revoke, endMs())).header.revision, offset);
  }
  if ('renew' in each) return (await real.keepAlive(each.renew, endMs())).ttlSeconds;
  if ('range' in each) return seen(await real.range(shifted(each.range, offset), endMs()));
  return seen(await real.txn(shiftedTxn(each.txn, offset), endMs()));
}

function inStore(each: Step, store: EtcdStore): Seen {
  const header = (): { revision: bigint } => ({ revision: store.revision });
  if ('grant' in each) {
    store.leases.grant(each.grant, TTL_S * 1_000);
    return TTL_S;
  }
  if ('revoke' in each) {
    store.revoke(each.revoke);
    return revisionOf(store.revision, 0n);
  }
  if ('renew' in each) return (store.leases.get(each.renew)?.ttlMs ?? 0) / 1_000;
  if ('range' in each) {
    const { reads, count } = store.range(each.range);
    return relative({ keys: reads[0] ?? [], count, header: header() }, 0n);
  }
  const { succeeded, reads } = store.txn(each.txn);
  return relative({ succeeded, reads, header: header() }, 0n);
}

async function outcome(run: () => Seen): Promise<Seen> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EtcdReplyError) return error.code;
    throw error;
  }
}

/**
 * Sends random sequences of requests to a simulated store and to a real server, and expects the same replies. A failure
 * names the seed and the path of its shortest sequence.
 * @returns the number of requests
 */
export async function compareStores(
  server: EtcdServer,
  { sequences, seed }: { readonly sequences: number; readonly seed?: number },
): Promise<number> {
  const real = await openGrpcClient({ servers: [server.address] }, runtime);
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const store = new EtcdStore();
      const offset = await emptied(real);
      for (const each of steps) {
        const expected = await outcome(() => onServer(real, each, offset));
        expect(await outcome(() => inStore(each, store))).toEqual(expected);
      }
      requests += steps.length;
    }),
    { numRuns: sequences, ...(seed === undefined ? {} : { seed }) },
  );
  real.close();
  return requests;
}

/** Removes all keys and leases; returns how far the server's revisions are ahead of a new store's. */
async function emptied(real: EtcdClient): Promise<bigint> {
  for (const id of [11n, 12n, 13n]) await real.revoke(id, endMs()).catch(() => {});
  const keys = ['a/1', 'a/2', 'a/3', 'b/1'];
  const success = keys.map((each): Op => ({ kind: 'delete', key: each }));
  const { header } = await real.txn({ compare: [], success, failure: [] }, endMs());
  return header.revision - 1n;
}

function revisionOf(revision: bigint, offset: bigint): bigint {
  return revision - offset;
}

type Reply = Pick<TxnReply, 'succeeded' | 'reads'> | Pick<RangeReply, 'keys' | 'count'>;

function relative(reply: Reply & { header: { revision: bigint } }, offset: bigint): Seen {
  const keysOf = (keys: RangeReply['keys']): Seen =>
    keys.map((each) => ({
      ...each,
      createRevision: each.createRevision - offset,
      modRevision: each.modRevision - offset,
    }));
  const revision = reply.header.revision - offset;
  return 'keys' in reply
    ? { revision, count: reply.count, keys: keysOf(reply.keys) }
    : { revision, succeeded: reply.succeeded, reads: reply.reads.map(keysOf) };
}

function shifted(op: ReadOp, offset: bigint): ReadOp {
  const { maxCreateRevision } = op;
  return maxCreateRevision === undefined
    ? op
    : { ...op, maxCreateRevision: maxCreateRevision + offset };
}

function shiftedTxn({ compare, success, failure }: Txn, offset: bigint): Txn {
  const shift = (op: Op): Op => (op.kind === 'read' ? shifted(op, offset) : op);
  return {
    compare: compare.map((each) => ({
      ...each,
      revision: each.revision === 0n ? 0n : each.revision + offset,
    })),
    success: success.map(shift),
    failure: failure.map(shift),
  };
}
