import type {
  Comparison,
  Granted,
  Header,
  KeptAlive,
  LeaseRequest,
  Op,
  RangeReply,
  ReadOp,
  StoredKey,
  Txn,
  TxnReply,
} from '../../port.ts';
import { Fields, Writer } from './wire.ts';

/** The part of a reply that the server sent. */
export type Sent<T> = Omit<T, 'sentAt'>;

/** One unary method of etcd's API (https://etcd.io/docs/v3.5/dev-guide/api_reference_v3): its path and its messages. */
export interface Method<Request, Reply> {
  readonly path: string;
  encode(request: Request): Writer;
  decode(reply: Fields): Reply;
}

/** Credentials of a user of etcd. */
export interface User {
  readonly user: string;
  readonly password: string;
}

export const GRANT: Method<LeaseRequest, Sent<Granted>> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  encode: ({ id, ttlSeconds }) => new Writer().int(1, ttlSeconds).int(2, id),
  decode: (reply) => ({ header: headerIn(reply), ttlSeconds: Number(reply.int(3)) }),
};

export const REVOKE: Method<bigint, { readonly header: Header }> = {
  path: '/etcdserverpb.Lease/LeaseRevoke',
  encode: (id) => new Writer().int(1, id),
  decode: (reply) => ({ header: headerIn(reply) }),
};

/** A stream, of which one request and one reply are used. */
export const KEEP_ALIVE: Method<bigint, Sent<KeptAlive>> = {
  path: '/etcdserverpb.Lease/LeaseKeepAlive',
  encode: (id) => new Writer().int(1, id),
  decode: (reply) => ({ header: headerIn(reply), ttlSeconds: Number(reply.int(3)) }),
};

export const RANGE: Method<ReadOp, Sent<RangeReply>> = {
  path: '/etcdserverpb.KV/Range',
  encode: encodeRead,
  decode: (reply) => ({ header: headerIn(reply), keys: keysIn(reply), count: reply.int(4) }),
};

export const TXN: Method<Txn, Sent<TxnReply>> = {
  path: '/etcdserverpb.KV/Txn',
  encode: ({ compare, success, failure }) => {
    const txn = new Writer();
    for (const comparison of compare) txn.message(1, encodeComparison(comparison));
    for (const op of success) txn.message(2, encodeOp(op));
    for (const op of failure) txn.message(3, encodeOp(op));
    return txn;
  },
  decode: (reply) => ({
    header: headerIn(reply),
    succeeded: reply.bool(2),
    reads: reply.messages(3).map((response) => keysIn(response.message(RESPONSE_RANGE))),
  }),
};

export const AUTHENTICATE: Method<User, { readonly token: string }> = {
  path: '/etcdserverpb.Auth/Authenticate',
  encode: ({ user, password }) => new Writer().text(1, user).text(2, password),
  decode: (reply) => ({ token: reply.text(2) }),
};

export const STATUS: Method<undefined, { readonly version: string; readonly hasLeader: boolean }> =
  {
    path: '/etcdserverpb.Maintenance/Status',
    encode: () => new Writer(),
    decode: (reply) => ({ version: reply.text(2), hasLeader: reply.uint(4) !== 0n }),
  };

function headerIn(reply: Fields): Header {
  const header = reply.message(1);
  return { memberId: header.uint(2), revision: header.int(3), raftTerm: header.uint(4) };
}

const RESPONSE_RANGE = 1;
const EQUAL = 0;
const TARGETS = { create: 1, mod: 2 };
/** The fields of a comparison that have the expected value. */
const EXPECTED = { create: 5, mod: 6 };
const SORT = { ascending: 1, descending: 2, byCreation: 2 };

function encodeComparison({ key, target, revision }: Comparison): Writer {
  const comparison = new Writer().int(1, EQUAL).int(2, TARGETS[target]).text(3, key);
  return comparison.int(EXPECTED[target], revision);
}

function encodeOp(op: Op): Writer {
  if (op.kind === 'read') return new Writer().message(1, encodeRead(op));
  if (op.kind === 'delete') return new Writer().message(3, new Writer().text(1, op.key));
  const put = new Writer().text(1, op.key).text(2, op.value);
  if (op.lease !== undefined) put.int(3, op.lease);
  return new Writer().message(2, put);
}

function encodeRead(read: ReadOp): Writer {
  const range = new Writer().text(1, read.key);
  if (read.end !== undefined) range.text(2, read.end);
  if (read.limit !== undefined) range.int(3, read.limit);
  if (read.latestFirst === true) range.int(5, SORT.descending).int(6, SORT.byCreation);
  if (read.earliestFirst === true) range.int(5, SORT.ascending).int(6, SORT.byCreation);
  if (read.keysOnly === true) range.int(8, 1);
  if (read.maxCreateRevision !== undefined) range.int(13, read.maxCreateRevision);
  return range;
}

function keysIn(range: Fields): readonly StoredKey[] {
  return range.messages(2).map((kv) => ({
    key: kv.text(1),
    createRevision: kv.int(2),
    modRevision: kv.int(3),
    value: kv.text(5),
    lease: kv.int(6),
  }));
}
