import type { Acl } from './acl.ts';
import type { Instant } from './clock.ts';
import type { Credential } from './credentials.ts';
import { type MultiOperation, type MultiResult, multi } from './multi.ts';
import { openLink } from './open-link.ts';
import type { Operation } from './operation.ts';
import { checkedOptions, type NetworkSessionOptions } from './options.ts';
import type { Chroot } from './paths.ts';
import { type Answered, failureOf } from './pending-requests.ts';
import {
  type Access,
  type Content,
  exists,
  getAcl,
  getChildren,
  getData,
  type Listing,
} from './read-operations.ts';
import type { Stat } from './records.ts';
import { request, requestAndWatch, type Watching } from './request.ts';
import type { SessionLink } from './session-link.ts';
import type { SessionState } from './session-state.ts';
import type { WatchKind, WatchListener } from './watches.ts';
import type { Created, CreateOptions, Data } from './write-operations.ts';
import * as write from './write-operations.ts';

/** The reply of `exists`. */
export interface ExistsResult extends Answered {
  /** Undefined: there is no such node. */
  readonly stat: Stat | undefined;
}

/** The reply to a change of data or ACL. */
export interface SetResult extends Answered {
  /** The metadata after the change. */
  readonly stat: Stat;
}

/** Options of `close`. */
export interface CloseOptions {
  /** The time for which it tries to reach the servers, in ms; default 2 000. */
  readonly timeoutMs?: number | undefined;
  /** True: ends the session here and sends nothing, so that its nodes stay until the servers expire it. */
  readonly leavesNodes?: boolean | undefined;
}

/** The time for which `close` tries to reach the servers. */
const CLOSE_MS = 2_000;

/**
 * One ZooKeeper session over any network. Nothing is queued while it is disconnected.
 *
 * Requests reject with `NotSentError` (nothing was sent: disconnected, or the session has ended),
 * `UnknownOutcomeError` (sent, and no reply came), `ReplyError` (not applied, and why) or
 * `RequestError` (invalid, not sent). Every request settles, at the latest 2T/3 after the server fell silent.
 * @example
 * ```ts
 * const network = systemNetwork(); // or one of your own
 * const session = await NetworkSession.open({ network, servers: ['zk1:2181'] });
 * const { children } = await session.getChildren('/jobs');
 * await session.close();
 * ```
 */
export class NetworkSession {
  readonly #link: SessionLink;
  readonly #chroot: Chroot;

  protected constructor(link: SessionLink, chroot: Chroot) {
    this.#link = link;
    this.#chroot = chroot;
  }

  /** Resolves connected. Rejects with `OpenError`, or `OptionError` for invalid options. */
  static async open(options: NetworkSessionOptions): Promise<NetworkSession> {
    const checked = checkedOptions(options);
    return new NetworkSession(await openLink(checked), checked.chroot);
  }

  /** The id that the servers gave it. */
  get id(): bigint {
    return this.#link.id;
  }

  /** T: the negotiated session timeout, in ms. */
  get timeoutMs(): number {
    return this.#link.timeoutMs;
  }

  /** The state now; only the servers know more while it is disconnected. */
  get state(): SessionState {
    return this.#link.state.current;
  }

  /** The current or latest server, for people. */
  get address(): string {
    return this.#link.address;
  }

  /** The send time of the request that created the session or, later, validated it on a new connection. */
  get validated(): Instant {
    return this.#link.validated;
  }

  /** The listener is not called for the current state. Returns the removal of the listener. */
  onState(listener: (state: SessionState) => void): () => void {
    return this.#link.state.onChange(listener);
  }

  /**
   * The send time of the latest request that was answered by `monotonicMs`, pings included. Undefined without one on this
   * connection, or for a time more than 2T ago. The reply may be up to T/64 older than the latest one.
   */
  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#link.answeredBefore(monotonicMs);
  }

  /** Pings every T/6 instead of T/3 until the returned function is called. Callers are counted. */
  quicken(): () => void {
    return this.#link.quickPings.request();
  }

  /** Creates a node, and returns its path and metadata. */
  create(path: string, data: Data, options: CreateOptions = {}): Promise<Created & Answered> {
    return this.#request(() => {
      const full = write.fullNew(this.#chroot, path, options);
      const operation = write.create(full, data, options);
      return {
        ...operation,
        read: (reader) => {
          const { path: created, stat } = operation.read(reader);
          return { path: this.#chroot.below(created), stat };
        },
      };
    });
  }

  /** Deletes the node if it has this version; −1, the default, is any. */
  delete(path: string, version?: number): Promise<Answered> {
    return this.#request(() => write.remove(this.#chroot.full(path), version));
  }

  /** Replaces the data if the node has this version; −1, the default, is any. */
  setData(path: string, data: Data, version?: number): Promise<SetResult> {
    return this.#request(() => write.setData(this.#chroot.full(path), data, version));
  }

  /** Reads data and metadata. Rejects with the `ReplyError` `NONODE` if there is no such node. */
  getData(path: string): Promise<Content & Answered> {
    return this.#request(() => getData(this.#chroot.full(path), false));
  }

  /** Lists the names of the children, in no order. */
  getChildren(path: string): Promise<Listing & Answered> {
    return this.#request(() => getChildren(this.#chroot.full(path), false));
  }

  /** Reads the metadata; its `stat` is undefined if there is no such node. */
  exists(path: string): Promise<ExistsResult> {
    return this.#request(() => exists(this.#chroot.full(path), false));
  }

  /** Calls the listener once: when the node is created or deleted, its data change, or the session has ended. */
  existsWatch(path: string, listener: WatchListener): Promise<ExistsResult & Watching> {
    return this.#watch('node', path, listener, (full) => exists(full, true));
  }

  /** Like `existsWatch`; without a node it rejects, and sets no watch. */
  getDataWatch(path: string, listener: WatchListener): Promise<Content & Answered & Watching> {
    return this.#watch('node', path, listener, (full) => getData(full, true));
  }

  /** Calls the listener once: when a child is created or deleted, the node is deleted, or the session has ended. */
  getChildrenWatch(path: string, listener: WatchListener): Promise<Listing & Answered & Watching> {
    return this.#watch('children', path, listener, (full) => getChildren(full, true));
  }

  /** Reads who may do what with the node. */
  getAcl(path: string): Promise<Access & Answered> {
    return this.#request(() => getAcl(this.#chroot.full(path)));
  }

  /** `version` is the number of changes of the ACL, `aversion`. */
  setAcl(path: string, acl: readonly Acl[], version?: number): Promise<SetResult> {
    return this.#request(() => write.setAcl(this.#chroot.full(path), acl, version));
  }

  /** Resolves when this server has seen what the leader had committed when the request reached the leader. */
  sync(path: string): Promise<Answered> {
    return this.#request(() => write.sync(this.#chroot.full(path)));
  }

  /**
   * Applies all operations or none, as one transaction. Rejects with the `ReplyError` of the first that fails, which has
   * its `index`.
   */
  async multi(
    operations: readonly MultiOperation[],
  ): Promise<{ readonly results: readonly MultiResult[] } & Answered> {
    const { failed, ...reply } = await this.#request(() => multi(operations, this.#chroot));
    if (failed === undefined) return reply;
    const { kind, path } = operations[failed.index] ?? { kind: '', path: '' };
    throw failureOf(failed, `multi: ${kind} ${path}`, failed.index) ?? new Error('not a failure');
  }

  /** Proves another identity, on this connection and on all later ones. A refusal ends the session. */
  addAuth(credential: Credential): Promise<void> {
    return this.#link.authenticate(credential);
  }

  /**
   * Closes the session at the servers, so that ephemeral nodes are deleted at once. Settles within `timeoutMs`, never
   * rejects. With `leavesNodes` nothing is sent: the connection is dropped, and the nodes exist until the session expires.
   */
  close({ timeoutMs = CLOSE_MS, leavesNodes = false }: CloseOptions = {}): Promise<void> {
    return leavesNodes ? this.#link.abandon() : this.#link.close(timeoutMs);
  }

  #request<T extends object>(prepare: () => Operation<T>): Promise<T & Answered> {
    return request(this.#link, prepare);
  }

  #watch<T extends object>(
    kind: WatchKind,
    path: string,
    listener: WatchListener,
    operationOf: (full: string) => Operation<T>,
  ): Promise<T & Answered & Watching> {
    return requestAndWatch(this.#link, () => {
      const full = this.#chroot.full(path);
      const ownListener: WatchListener = (event) => listener({ ...event, path });
      return { operation: operationOf(full), watch: { kind, path: full, listener: ownListener } };
    });
  }
}
