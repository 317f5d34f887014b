// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/etcd ==========

interface Answered {
  readonly header: Header;
  readonly sentAt: Instant;
}

interface Comparison {
  readonly key: string;
  readonly target: 'create' | 'mod';
  readonly revision: bigint;
}

interface EtcdClient {
  readonly address: string;
  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted>;
  revoke(id: bigint, deadlineMs: number): Promise<Answered>;
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive>;
  range(read: ReadOp, deadlineMs: number): Promise<RangeReply>;
  txn(txn: Txn, deadlineMs: number): Promise<TxnReply>;
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void;
  status(deadlineMs: number): Promise<readonly ServerStatus[]>;
  close(): void;
}

class EtcdDoubt extends Error {
  readonly name = "EtcdDoubt";
  constructor(message: string, cause?: unknown);
}

interface EtcdOptions {
  readonly servers?: readonly string[] | undefined;
  readonly client?: EtcdClient | undefined;
  readonly auth?: {
    readonly user: string;
    readonly password: string;
  } | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
}

class EtcdReplyError extends Error {
  readonly name = "EtcdReplyError";
  readonly code: ReplyCode;
  constructor(code: ReplyCode, message: string, cause?: unknown);
}

class EtcdUnavailable extends Error {
  readonly name = "EtcdUnavailable";
  constructor(message: string, cause?: unknown);
}

interface Granted extends Answered {
  readonly ttlSeconds: number;
}

interface Guard {
  readonly key: string;
  readonly createRevision: bigint;
}

interface Header {
  readonly memberId: bigint;
  readonly revision: bigint;
  readonly raftTerm: bigint;
}

interface KeptAlive extends Answered {
  readonly ttlSeconds: number;
}

interface LeaseRequest {
  readonly id: bigint;
  readonly ttlSeconds: number;
}

type Op = ReadOp | {
  readonly kind: 'put';
  readonly key: string;
  readonly value: string;
  readonly lease?: bigint | undefined;
} | {
  readonly kind: 'delete';
  readonly key: string;
};

interface RangeReply extends Answered {
  readonly keys: readonly StoredKey[];
  readonly count: bigint;
}

interface ReadOp {
  readonly kind: 'read';
  readonly key: string;
  readonly end?: string | undefined;
  readonly maxCreateRevision?: bigint | undefined;
  readonly latestFirst?: boolean | undefined;
  readonly earliestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly keysOnly?: boolean | undefined;
}

type ReplyCode = 'LEASE_NOT_FOUND' | 'LEASE_EXISTS' | 'PERMISSION_DENIED' | 'AUTH_FAILED' | 'OTHER';

interface ServerStatus {
  readonly node: string;
  readonly version: string | undefined;
  readonly hasLeader: boolean;
  readonly roundTripMs: number;
  readonly cause?: unknown;
}

interface StoredKey {
  readonly key: string;
  readonly value: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly lease: bigint;
}

interface Txn {
  readonly compare: readonly Comparison[];
  readonly success: readonly Op[];
  readonly failure: readonly Op[];
}

interface TxnReply extends Answered {
  readonly succeeded: boolean;
  readonly reads: readonly (readonly StoredKey[])[];
}

interface WatchListener {
  created(): void;
  deleted(): void;
  ended(cause: unknown): void;
}

const capabilities: Capabilities & {
  readonly fencing: 'strict';
};

function guard(lease: Pick<Lease, 'key' | 'owner' | 'fencingToken'>, { namespace }?: {
  readonly namespace?: string | undefined;
}): Guard;

function openEtcd(options: EtcdOptions, host: Host): Promise<Backend>;

// ========== @holdfast/etcd/port ==========

// Answered, as in @holdfast/etcd

// Comparison, as in @holdfast/etcd

// EtcdClient, as in @holdfast/etcd

// EtcdDoubt, as in @holdfast/etcd

// EtcdReplyError, as in @holdfast/etcd

// EtcdUnavailable, as in @holdfast/etcd

// Granted, as in @holdfast/etcd

// Header, as in @holdfast/etcd

// KeptAlive, as in @holdfast/etcd

// LeaseRequest, as in @holdfast/etcd

// Op, as in @holdfast/etcd

// RangeReply, as in @holdfast/etcd

// ReadOp, as in @holdfast/etcd

// ReplyCode, as in @holdfast/etcd

// ServerStatus, as in @holdfast/etcd

// StoredKey, as in @holdfast/etcd

// Txn, as in @holdfast/etcd

// TxnReply, as in @holdfast/etcd

// WatchListener, as in @holdfast/etcd
