/** The port between the Redis recipes and the connection to a Redis node: a client library, or the simulator. */

/** The digest by which a server names scripts; a simulated server uses it too. */
export { sha1Hex } from './sha1.ts';

/** A reply as RESP2 shapes it: statuses and bulk strings are strings, integers numbers, nil null. Error replies are thrown. */
export type Reply = string | number | null | readonly Reply[];

/** `name` is the label under which the simulator can stall it. */
export interface Script {
  /** A short name for people. */
  readonly name: string;
  /** The Lua source; the server knows it by its SHA-1. */
  readonly source: string;
  /**
   * What a cluster runs instead, if that differs. Only the first `keys` keys are declared (default: all), and the others
   * come in front of the arguments: while a slot moves, a call whose declared keys do not all exist is refused.
   */
  readonly onCluster?: { readonly source: string; readonly keys?: number };
}

/**
 * One Redis node, as a connection with an identity: an undo works only if it queues behind the command that it undoes.
 * Rejections are {@link NodeDoubt}, {@link NodeUnavailable}, {@link NodeReplyError} or, if a call asks for
 * acknowledgements, {@link NodeNotAcknowledged}, nothing else.
 */
export interface RedisNode {
  /** The address for people, without credentials. */
  readonly address: string;
  /**
   * The number of connections for commands so far: a fact about the server that was learnt on an earlier one may not hold
   * for the server behind the latest. Undefined if they are not counted.
   */
  readonly connections?: number | undefined;
  /** Present if this is a cluster, whose masters share the keys by their slots. */
  readonly cluster?: ClusterView | undefined;
  /** Sends one command, at once or never: nothing waits for a connection longer than its deadline, or is sent twice. */
  command(args: readonly string[], options: CallOptions): Promise<Reply>;
  /**
   * EVAL the first time on a connection, EVALSHA behind that; on NOSCRIPT the same call once more as EVAL, within the
   * same deadline.
   */
  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply>;
  /** Live when resolved. A `gap` reports that messages may have been missed, for example after a reconnect. */
  subscribe(channel: string, listener: (event: ChannelEvent) => void): Promise<Subscription>;
  /** Ends the connections. */
  close(): Promise<void>;
}

/** What a listener of a channel hears. */
export interface ChannelEvent {
  /** `gap`: messages may have been missed. */
  readonly kind: 'message' | 'gap';
  /** The text of a message. */
  readonly text?: string | undefined;
}

/** What only a cluster can tell. */
export interface ClusterView {
  /** True if all these keys are in one slot, so that one script can reach them. */
  sharesSlot(keys: readonly string[]): boolean;
  /**
   * Asks for the masters now, and returns a node for each. Rejects with {@link NodeUnavailable} if no node answered by the deadline, or if a slot
   * has no master.
   */
  masters(options: { readonly deadlineMs: number }): Promise<readonly RedisNode[]>;
  /**
   * Asks every address that the cluster was opened with.
   * @throws ConfigError if they are not all of one cluster, or one refused the log-in
   * @throws NodeUnavailable if none answered by the deadline
   */
  check(options: { readonly deadlineMs: number }): Promise<void>;
}

/** A subscription to one channel. */
export interface Subscription {
  /** Ends it: the listener is not called any more. */
  close(): void;
}

/** Limits of one call. */
export interface CallOptions {
  /** On the monotonic clock of the runtime the node was opened with. Nothing is sent after it. */
  readonly deadlineMs: number;
  /**
   * Sent behind the command on a timeout or a connection loss. While disconnected it waits, and is sent first on the next
   * connection, until `keepUntilMs` or until it is no longer wanted.
   */
  readonly undo?: Undo;
  /** If given, the call counts only once replicas have its write too. Its reply is held back until then. */
  readonly acknowledged?: Acknowledgement;
}

/** The replicas that must have a write before its call counts. */
export interface Acknowledgement {
  /** Their number, at least 1. */
  readonly replicas: number;
  /** The end of the wait for them, on the clock of `deadlineMs`. The rest is for taking the write back. */
  readonly byMs: number;
  /** False for the replies of a call that wrote nothing. Default: every reply waits. */
  isNeeded?(reply: Reply): boolean;
}

/** A command that takes back what a command in doubt may have done. */
export interface Undo {
  /** A plain EVAL command: script source, number of keys, keys, arguments. */
  readonly args: readonly string[];
  /** The monotonic time after which it is pointless, since what it would take back has expired. */
  readonly keepUntilMs: number;
  /** The script in `args`, if it has a form of its own on a cluster. */
  readonly script?: Script | undefined;
  /** False once it must not be sent any more, for example because a retry succeeded. Absent: always wanted. */
  wanted?(): boolean;
}

/**
 * The command may or may not have been applied.
 * @example
 * ```ts
 * try {
 *   await node.command(['INCR', key], { deadlineMs });
 * } catch (cause) {
 *   if (cause instanceof NodeDoubt) return { kind: 'unknown', cause };
 *   throw cause;
 * }
 * ```
 */
export class NodeDoubt extends Error {
  override readonly name = 'NodeDoubt';
  /** `ordered` if an undo was sent behind the command on its connection, `unordered` if elsewhere. */
  readonly undo: 'ordered' | 'unordered' | 'none';
  /**
   * Resolves, never rejects: true once the undo has its reply from the server that the command went to, or in a cluster
   * from an owner of the key.
   */
  readonly undone: Promise<boolean>;

  constructor(
    message: string,
    undo: 'ordered' | 'unordered' | 'none',
    undone: Promise<boolean>,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.undo = undo;
    this.undone = undone;
  }
}

/**
 * Nothing was written: the command was certainly not applied.
 * @example
 * ```ts
 * try {
 *   await node.command(['INCR', key], { deadlineMs });
 * } catch (cause) {
 *   if (cause instanceof NodeUnavailable) return { kind: 'unavailable', cause };
 *   throw cause;
 * }
 * ```
 */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * The command was applied and has its reply, but too few replicas acknowledged it in time. Its write is stored at the
 * node: a later command, on any connection, finds it.
 * @example
 * ```ts
 * const acknowledged = { replicas: 2, byMs: deadlineMs - 100 };
 * try {
 *   await node.command(['INCR', key], { deadlineMs, acknowledged });
 * } catch (cause) {
 *   if (cause instanceof NodeNotAcknowledged) log(`stored, on ${cause.acknowledgedBy} replicas`);
 * }
 * ```
 */
export class NodeNotAcknowledged extends Error {
  override readonly name = 'NodeNotAcknowledged';
  /** The number of replicas that have it; undefined if the node did not report it. */
  readonly acknowledgedBy: number | undefined;

  constructor(message: string, acknowledgedBy: number | undefined, cause?: unknown) {
    super(message, { cause });
    this.acknowledgedBy = acknowledgedBy;
  }
}

/**
 * The node replied with an error; `code` is its first word, for example `WRONGTYPE`.
 * @example
 * ```ts
 * try {
 *   await node.command(['INCR', key], { deadlineMs });
 * } catch (cause) {
 *   if (!(cause instanceof NodeReplyError)) throw cause;
 *   log(cause.code); // such as WRONGTYPE: the server did nothing
 * }
 * ```
 */
export class NodeReplyError extends Error {
  override readonly name = 'NodeReplyError';
  /** The first word of the error, for programs. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
