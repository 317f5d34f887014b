import { type Acl, readAcl } from './acl.ts';
import { OP, type Operation } from './operation.ts';
import { readStat, type Stat } from './records.ts';

/** The data of a node. */
export interface Content {
  /** The bytes that are stored. */
  readonly data: Uint8Array;
  /** The metadata, as of the same moment. */
  readonly stat: Stat;
}

/** The children of a node. */
export interface Listing {
  /** Names, not paths; in no order. */
  readonly children: readonly string[];
  /** The metadata of the parent, as of the same moment. */
  readonly stat: Stat;
}

/** Who may do what with a node. */
export interface Access {
  /** The permissions of each identity. */
  readonly acl: readonly Acl[];
  /** The metadata, as of the same moment. */
  readonly stat: Stat;
}

export function exists(path: string, watch: boolean): Operation<{ stat: Stat | undefined }> {
  return {
    type: OP.exists,
    name: `look at ${path}`,
    write: (writer) => void writer.string(path).bool(watch),
    read: (reader) => ({ stat: readStat(reader) }),
    ifMissing: { stat: undefined },
  };
}

export function getData(path: string, watch: boolean): Operation<Content> {
  return {
    type: OP.getData,
    name: `read ${path}`,
    write: (writer) => void writer.string(path).bool(watch),
    read: (reader) => ({ data: reader.bytes(), stat: readStat(reader) }),
  };
}

export function getChildren(path: string, watch: boolean): Operation<Listing> {
  return {
    type: OP.getChildren2,
    name: `list ${path}`,
    write: (writer) => void writer.string(path).bool(watch),
    read: (reader) => ({
      children: reader.vector((each) => each.string()),
      stat: readStat(reader),
    }),
  };
}

export function getAcl(path: string): Operation<Access> {
  return {
    type: OP.getACL,
    name: `read the ACL of ${path}`,
    write: (writer) => void writer.string(path),
    read: (reader) => ({ acl: reader.vector(readAcl), stat: readStat(reader) }),
  };
}
