import { RequestError } from './errors.ts';
import type { Reader, Writer } from './jute.ts';
import { OP, type Operation } from './operation.ts';
import type { Chroot } from './paths.ts';
import { readStat, type Stat } from './records.ts';
import * as single from './write-operations.ts';

/** One part of a multi. `check` changes nothing: the multi fails unless the node has this version. */
export type MultiOperation =
  | ({
      readonly kind: 'create';
      readonly path: string;
      readonly data: single.Data;
    } & single.CreateOptions)
  | {
      readonly kind: 'set';
      readonly path: string;
      readonly data: single.Data;
      readonly version?: number | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string; readonly version?: number | undefined }
  | { readonly kind: 'check'; readonly path: string; readonly version?: number | undefined };

/**
 * The result of one operation, in the order of the operations. Of created nodes servers mostly return only the path; their
 * `czxid` is the `zxid` of the reply.
 */
export type MultiResult =
  | { readonly kind: 'create'; readonly path: string; readonly stat: Stat | undefined }
  | { readonly kind: 'set'; readonly stat: Stat }
  | { readonly kind: 'delete' | 'check' };

/** The first operation that failed; none was applied. */
export interface MultiFailure {
  readonly index: number;
  /** The error number. */
  readonly failure: number;
}

export interface MultiReply {
  readonly results: readonly MultiResult[];
  readonly failed?: MultiFailure | undefined;
}

/** All operations in one request, each behind a header; the last header marks the end. */
export function multi(
  operations: readonly MultiOperation[],
  chroot: Chroot,
): Operation<MultiReply> {
  const parts = operations.map((operation) => partOf(operation, chroot));
  return {
    type: OP.multi,
    name: `multi of ${parts.length}`,
    write: (writer) => {
      for (const part of parts) {
        writeHeader(writer, part.type, false);
        part.write(writer);
      }
      writeHeader(writer, -1, true);
    },
    read: (reader) => readReply(reader, operations, chroot),
  };
}

function partOf(operation: MultiOperation, chroot: Chroot): Operation<unknown> {
  const { kind, path } = operation;
  switch (kind) {
    case 'create':
      return single.create(single.fullNew(chroot, path, operation), operation.data, operation);
    case 'set':
      return single.setData(chroot.full(path), operation.data, operation.version);
    case 'delete':
      return single.remove(chroot.full(path), operation.version);
    case 'check':
      return single.check(chroot.full(path), operation.version);
    default:
      throw new RequestError(
        'BAD_ARGUMENT',
        `unknown operation '${String(kind)}' in a multi; use create, set, delete or check`,
      );
  }
}

function writeHeader(writer: Writer, type: number, isDone: boolean): void {
  writer.int(type).bool(isDone).int(-1);
}

function readReply(
  reader: Reader,
  operations: readonly MultiOperation[],
  chroot: Chroot,
): MultiReply {
  const results: MultiResult[] = [];
  let failed: MultiFailure | undefined;
  for (const [index, { kind }] of operations.entries()) {
    const type = readHeader(reader);
    if (type !== OP.error) {
      results.push(readResult(reader, kind, type, chroot));
      continue;
    }
    const failure = reader.int();
    // Operations before the failed one have 0, those after it an error for not being tried.
    if (failure !== 0) failed ??= { index, failure };
  }
  return { results, failed };
}

function readHeader(reader: Reader): number {
  const type = reader.int();
  reader.bool();
  reader.int();
  return type;
}

function readResult(
  reader: Reader,
  kind: MultiOperation['kind'],
  type: number,
  chroot: Chroot,
): MultiResult {
  if (kind === 'set') return { kind, stat: readStat(reader) };
  if (kind !== 'create') return { kind };
  const path = chroot.below(reader.string());
  return { kind, path, stat: type === OP.create ? undefined : readStat(reader) };
}
