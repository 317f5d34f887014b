import type { Reader, Writer } from './jute.ts';

/** One request to a server: its body, and the body of its reply. */
export interface Operation<T> {
  /** The number of the request (`ZooDefs.OpCode`). */
  readonly type: number;
  /** For messages: the action and the path, never data. */
  readonly name: string;
  write(writer: Writer): void;
  read(reader: Reader): T;
  /** The result if there is no such node; without it that is a failure. */
  readonly ifMissing?: T;
}

/** The body of a reply that only confirms success. */
export type EmptyReply = Readonly<Partial<Record<string, never>>>;

export function readEmpty(): EmptyReply {
  return {};
}

/** Numbers of requests, as in `ZooDefs.OpCode`. */
export const OP = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getACL: 6,
  setACL: 7,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  removeWatches: 18,
  createContainer: 19,
  createTTL: 21,
  auth: 100,
  setWatches: 101,
  closeSession: -11,
  error: -1,
} as const;

/** The fixed transaction numbers of replies that do not come in the order of requests. */
export const XID = { watch: -1, ping: -2, auth: -4, setWatches: -8 } as const;
