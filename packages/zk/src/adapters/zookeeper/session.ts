import type { Instant, Runtime } from '@holdfast/core';
import {
  type Answered,
  type Content,
  type Created,
  type CreateOptions,
  type Listing,
  type NodeStat,
  type SessionCloseOptions,
  SessionDoubt,
  SessionReplyError,
  type SessionState,
  SessionUnavailable,
  type WatchedStat,
  type ZooKeeperSession,
} from '../../port.ts';
import {
  ANY_VERSION,
  FLAGS,
  finalStateOf,
  type NativeCallback,
  type NativeClient,
  type NativeStat,
  NO_NODE,
  nodeStat,
} from './client.ts';
import { AnsweredRequests, NativeRequests, type NativeResult } from './requests.ts';
import { NativeWatches } from './watches.ts';

/** One session through npm `zookeeper`. */
export class NativeSession implements ZooKeeperSession {
  readonly address: string;
  readonly #client: NativeClient;
  readonly #runtime: Runtime;
  readonly #requests: NativeRequests;
  readonly #answers = new AnsweredRequests();
  readonly #watches = new NativeWatches();
  readonly #listeners = new Set<(state: SessionState) => void>();
  #state: SessionState = 'disconnected';
  #id = 0n;
  #timeoutMs: number;
  /** The connection was up until then, so the request that validates the session on the next one is sent later. */
  #disconnectedAt: Instant;
  #validated: Instant;
  #cancelPing: () => void = () => undefined;

  constructor(client: NativeClient, { address, requestedMs, runtime }: SessionSettings) {
    this.address = address;
    this.#client = client;
    this.#runtime = runtime;
    this.#timeoutMs = requestedMs;
    this.#disconnectedAt = runtime.now();
    this.#validated = this.#disconnectedAt;
    this.#requests = new NativeRequests(runtime, (sentAt) => {
      const answeredMs = runtime.now().monotonicMs;
      this.#answers.add({ sentAt, answeredMs }, this.#timeoutMs);
    });
    client.on('connect', () => this.#connected());
    client.on('connecting', () => this.#disconnected());
    client.on('close', (_client, code) => this.#end(finalStateOf(code)));
    for (const event of ['created', 'deleted', 'changed'] as const)
      client.on(event, (_client, path) => this.#watches.fire(path));
  }

  get id(): bigint {
    return this.#id;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get state(): SessionState {
    return this.#state;
  }

  get validated(): Instant {
    return this.#validated;
  }

  onState(listener: (state: SessionState) => void): () => void {
    const entry = (state: SessionState): void => listener(state);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#answers.before(monotonicMs);
  }

  async create(path: string, data: string, { mode, acl }: CreateOptions): Promise<Created> {
    if (acl !== undefined) {
      const message = 'npm zookeeper cannot create nodes with an ACL: use @holdfast/zk-client';
      throw new SessionReplyError('UNIMPLEMENTED', message);
    }
    const created = await this.#request(
      (client, reply: NativeCallback<[string]>) => client.a_create(path, data, FLAGS[mode], reply),
      ({ sentAt, values: [name] }) => ({ sentAt, path: name }),
    );
    // The reply has no stat, and the token of a node that is gone again is unknown.
    const stat = await this.#exists(created.path);
    if (stat === undefined) throw new SessionDoubt('created, and gone before its czxid was read');
    return { ...created, czxid: stat.czxid };
  }

  existsWatch(path: string, onChange: () => void): Promise<WatchedStat> {
    return this.#request(
      (client, reply: NativeCallback<[NativeStat | null]>) => client.a_exists(path, true, reply),
      ({ sentAt, values: [stat] }) => {
        const unwatch = this.#watches.add(path, onChange);
        return { sentAt, stat: stat === null ? undefined : nodeStat(stat), unwatch };
      },
      [NO_NODE],
    );
  }

  read(path: string): Promise<Content> {
    return this.#request(
      (client, reply: NativeCallback<[NativeStat | null, Uint8Array | null]>) =>
        client.a_get(path, false, reply),
      ({ sentAt, values: [stat, bytes] }) => {
        const data = new TextDecoder().decode(bytes ?? undefined);
        return { sentAt, data, stat: nodeStat(stat) };
      },
    );
  }

  list(path: string): Promise<Listing> {
    return this.#request(
      (client, reply: NativeCallback<[string[] | null]>) =>
        client.a_get_children(path, false, reply),
      ({ sentAt, values: [children] }) => ({ sentAt, children: children ?? [] }),
    );
  }

  setData(path: string, data: string, version: number = ANY_VERSION): Promise<Answered> {
    return this.#request(
      (client, reply: NativeCallback<[]>) => client.a_set(path, data, version, reply),
      sent,
    );
  }

  delete(path: string): Promise<Answered> {
    return this.#request(
      // oxlint-disable-next-line no-underscore-dangle -- the library's own name
      (client, reply: NativeCallback<[]>) => client.a_delete_(path, ANY_VERSION, reply),
      sent,
    );
  }

  sync(path: string): Promise<Answered> {
    return this.#request((client, reply: NativeCallback<[]>) => client.a_sync(path, reply), sent);
  }

  /** Closes the session at the server. The library blocks the thread meanwhile, for up to 1.5 s if the server is silent. */
  async close({ leavesNodes = false }: SessionCloseOptions = {}): Promise<void> {
    if (isFinal(this.#state)) return;
    this.#end('closed');
    if (leavesNodes) return this.#closeLater();
    // Never within a callback of the library: this frees its handle.
    await new Promise<void>((done) => void this.#runtime.timer(0, done, { awaited: true }));
    this.#client.close();
  }

  /**
   * Waits for T, when all leases are over: the library cannot drop a session without closing it at the server. A process
   * that exits earlier sends nothing.
   */
  #closeLater(): void {
    this.#runtime.timer(this.#timeoutMs, () => this.#client.close());
  }

  #exists(path: string): Promise<NodeStat | undefined> {
    return this.#request(
      (client, reply: NativeCallback<[NativeStat | null]>) => client.a_exists(path, false, reply),
      ({ values: [stat] }) => (stat === null ? undefined : nodeStat(stat)),
      [NO_NODE],
    );
  }

  #request<Values extends readonly unknown[], Result>(
    send: (client: NativeClient, reply: NativeCallback<Values>) => number,
    read: (reply: NativeResult<Values>) => Result,
    accepts?: readonly number[],
  ): Promise<Result> {
    // The library would keep the request for a later connection.
    if (this.#state !== 'connected')
      return Promise.reject(new SessionUnavailable(`the session is ${this.#state}`));
    return this.#requests.send((reply) => send(this.#client, reply), read, accepts);
  }

  #connected(): void {
    this.#validated = this.#disconnectedAt;
    this.#id = BigInt.asIntN(64, BigInt(`0x${this.#client.client_id}`));
    this.#timeoutMs = this.#client.timeout;
    this.#setState('connected');
    this.#pingRegularly();
  }

  #disconnected(): void {
    this.#disconnectedAt = this.#runtime.now();
    this.#answers.clear();
    this.#setState('disconnected');
  }

  #end(state: SessionState): void {
    if (isFinal(this.#state)) return;
    this.#cancelPing();
    this.#requests.giveUpAll(`the session is ${state}`);
    this.#setState(state);
    this.#watches.fireAll();
    this.#listeners.clear();
  }

  /** Sends a request every T/3: the library's own pings cannot be observed, so only other requests show what was answered when. */
  #pingRegularly(): void {
    this.#cancelPing();
    this.#cancelPing = this.#runtime.timer(this.#timeoutMs / 3, () => this.#pingRegularly());
    this.#requests.giveUpAfter(this.#timeoutMs);
    if (this.#state === 'connected') this.#exists('/').catch(() => undefined);
  }

  #setState(state: SessionState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

export interface SessionSettings {
  readonly address: string;
  /** The requested session timeout. */
  readonly requestedMs: number;
  readonly runtime: Runtime;
}

function isFinal(state: SessionState): boolean {
  return state === 'expired' || state === 'auth-failed' || state === 'closed';
}

function sent({ sentAt }: Answered): Answered {
  return { sentAt };
}
