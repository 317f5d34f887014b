import { type Acl, openAcl, writeAcl } from './acl.ts';
import { RequestError } from './errors.ts';
import { type EmptyReply, OP, type Operation, readEmpty } from './operation.ts';
import type { Chroot } from './paths.ts';
import { readStat, type Stat } from './records.ts';

/**
 * The lifetime of a node. Servers delete ephemeral nodes with the session; containers some time after their last child;
 * nodes with a ttl when they have no children and did not change for `ttlMs` (this needs `extendedTypesEnabled`). To the
 * name of a sequential node the server appends ten digits that count the creations below the parent.
 */
export type CreateMode =
  | 'persistent'
  | 'persistent-sequential'
  | 'ephemeral'
  | 'ephemeral-sequential'
  | 'container'
  | 'persistent-ttl'
  | 'persistent-sequential-ttl';

const FLAGS: Readonly<Record<CreateMode, number>> = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
  'persistent-ttl': 5,
  'persistent-sequential-ttl': 6,
};

/** Options of a new node. */
export interface CreateOptions {
  /** Default `persistent`. */
  readonly mode?: CreateMode | undefined;
  /** Default: every client may do anything. */
  readonly acl?: readonly Acl[] | undefined;
  /** Required for the modes with a ttl, and only allowed for them. */
  readonly ttlMs?: number | undefined;
}

/** A node that was created. */
export interface Created {
  /** The path with the number that the server appended. */
  readonly path: string;
  /** Its metadata. */
  readonly stat: Stat;
}

/** Data of a node; strings are stored as UTF-8. */
export type Data = Uint8Array | string;

/** Any version. */
const ANY = -1;
const encoder = new TextEncoder();

/** The server's path for a new node. If the server appends a number, the name may be empty. */
export function fullNew(chroot: Chroot, path: string, { mode }: CreateOptions): string {
  return mode?.includes('sequential') === true ? chroot.fullSequential(path) : chroot.full(path);
}

/** Creates a node at a path of the server that is checked already. */
export function create(path: string, data: Data, options: CreateOptions = {}): Operation<Created> {
  const { mode = 'persistent', acl = openAcl, ttlMs } = options;
  const flags: number | undefined = FLAGS[mode];
  if (flags === undefined)
    throw new RequestError(
      'BAD_ARGUMENT',
      `unknown create mode '${mode}'; use one of ${Object.keys(FLAGS).join(', ')}`,
    );
  const hasTtl = mode.endsWith('ttl');
  if (hasTtl !== (ttlMs !== undefined)) {
    throw new RequestError(
      'BAD_ARGUMENT',
      `mode '${mode}' ${hasTtl ? 'needs' : 'does not allow'} ttlMs`,
    );
  }
  return {
    type: hasTtl ? OP.createTTL : mode === 'container' ? OP.createContainer : OP.create2,
    name: `create ${path}`,
    write: (writer) => {
      writer.string(path).bytes(bytesOf(data)).vector(acl, writeAcl).int(flags);
      if (ttlMs !== undefined) writer.long(ttl(ttlMs));
    },
    read: (reader) => ({ path: reader.string(), stat: readStat(reader) }),
  };
}

export function remove(path: string, version: number = ANY): Operation<EmptyReply> {
  return {
    type: OP.delete,
    name: `delete ${path}`,
    write: (writer) => void writer.string(path).int(versioned(version)),
    read: readEmpty,
  };
}

export function setData(
  path: string,
  data: Data,
  version: number = ANY,
): Operation<{ stat: Stat }> {
  return {
    type: OP.setData,
    name: `set ${path}`,
    write: (writer) => void writer.string(path).bytes(bytesOf(data)).int(versioned(version)),
    read: (reader) => ({ stat: readStat(reader) }),
  };
}

/** Makes its multi fail unless the node has this version. */
export function check(path: string, version: number = ANY): Operation<EmptyReply> {
  return {
    type: OP.check,
    name: `check ${path}`,
    write: (writer) => void writer.string(path).int(versioned(version)),
    read: readEmpty,
  };
}

export function setAcl(
  path: string,
  acl: readonly Acl[],
  version: number = ANY,
): Operation<{ stat: Stat }> {
  return {
    type: OP.setACL,
    name: `set the ACL of ${path}`,
    write: (writer) => void writer.string(path).vector(acl, writeAcl).int(versioned(version)),
    read: (reader) => ({ stat: readStat(reader) }),
  };
}

export function sync(path: string): Operation<EmptyReply> {
  return {
    type: OP.sync,
    name: `sync ${path}`,
    write: (writer) => void writer.string(path),
    read: readEmpty,
  };
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return encoder.encode(data);
  if (data instanceof Uint8Array) return data;
  throw new RequestError('BAD_ARGUMENT', 'data must be a Uint8Array or a string');
}

function versioned(version: number): number {
  if (Number.isInteger(version) && version >= ANY && version < 2 ** 31) return version;
  throw new RequestError(
    'BAD_ARGUMENT',
    `invalid version ${version}: use a whole number from 0, or -1 for any`,
  );
}

function ttl(ttlMs: number): bigint {
  if (Number.isSafeInteger(ttlMs) && ttlMs > 0) return BigInt(ttlMs);
  throw new RequestError('BAD_ARGUMENT', `ttlMs must be a whole number above 0, not ${ttlMs}`);
}
