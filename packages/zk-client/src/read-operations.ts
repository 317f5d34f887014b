import { type Acl, readAcl } from './acl.ts';
import { OP, type Operation } from './operation.ts';
import { readStat, type Stat } from './records.ts';

export interface Content {
  readonly data: Uint8Array;
  readonly stat: Stat;
}

export interface Listing {
  /** Names, not paths; in no order. */
  readonly children: readonly string[];
  readonly stat: Stat;
}

export interface Access {
  readonly acl: readonly Acl[];
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
