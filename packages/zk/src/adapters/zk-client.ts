import { ConfigError, type Instant } from '@holdfast/core';
import {
  type Clock,
  creatorAcl,
  NetworkSession,
  type NetworkSessionOptions,
  NotSentError,
  OpenError,
  OptionError,
  openAcl,
  ReplyError,
  RequestError,
  UnknownOutcomeError,
  type Acl as WireAcl,
} from '@holdfast/zk-client/network';
import { NAME } from '../identity.ts';
import {
  type Acl,
  type Answered,
  type Content,
  type Created,
  type CreateOptions,
  type Listing,
  type OpenSession,
  type ReplyCode,
  type SessionCloseOptions,
  SessionDoubt,
  SessionReplyError,
  type SessionState,
  SessionUnavailable,
  type WatchedStat,
  type ZooKeeperSession,
} from '../port.ts';

/** Options of sessions over any network. */
export interface NetworkClientOptions
  extends Pick<NetworkSessionOptions, 'network' | 'servers' | 'chroot'> {
  /** The requested session timeout T, in ms; the servers decide within their bounds. */
  readonly sessionTimeoutMs: number;
  /** Credentials of the scheme `digest`; undefined for none. */
  readonly auth: { readonly user: string; readonly password: string } | undefined;
}

const CODES: ReadonlySet<string> = new Set<ReplyCode>([
  'NONODE',
  'NODEEXISTS',
  'NOTEMPTY',
  'NOAUTH',
  'BADVERSION',
  'INVALIDACL',
  'BADARGUMENTS',
  'UNIMPLEMENTED',
  'NOCHILDRENFOREPHEMERALS',
  'QUOTAEXCEEDED',
  'THROTTLEDOP',
]);
/**
 * Servers send replies of any length. One that exceeds this limit costs the connection, and with it all keys. Newcomers leave
 * a queue far below it, once they have seen its length; the rest is for contenders that enter all at once.
 */
const REPLY_BYTES_MAX = 4 * 1024 * 1024;
const decoder = new TextDecoder();

/**
 * Opens sessions through `@holdfast/zk-client`, over any network.
 * @example
 * ```ts
 * const limits = { sessionTimeoutMs: 10_000, auth: undefined };
 * const network = systemNetwork(); // or that of a browser, over a proxy
 * const open = openSessions({ ...limits, network, servers: ['zk1:2181'] }, host.runtime);
 * const backend = await openZk({ open }, host);
 * ```
 * @throws ConfigError (from the opener) for invalid options, a missing chroot, refused credentials
 */
export function openSessions(options: NetworkClientOptions, clock: Clock): OpenSession {
  const { auth, ...rest } = options;
  const credentials = auth && [{ scheme: 'digest', auth: `${auth.user}:${auth.password}` }];
  return async (deadlineMs, opening) => {
    try {
      const session = await NetworkSession.open({
        ...rest,
        ...opening,
        auth: credentials,
        frameBytesMax: REPLY_BYTES_MAX,
        clock,
        deadlineMs,
      });
      return new ClientSession(session);
    } catch (error) {
      throw openingFailure(error);
    }
  };
}

class ClientSession implements ZooKeeperSession {
  readonly #session: NetworkSession;

  constructor(session: NetworkSession) {
    this.#session = session;
  }

  get id(): bigint {
    return this.#session.id;
  }

  get timeoutMs(): number {
    return this.#session.timeoutMs;
  }

  get state(): SessionState {
    return this.#session.state;
  }

  get address(): string {
    return this.#session.address;
  }

  get validated(): Instant {
    return this.#session.validated;
  }

  onState(listener: (state: SessionState) => void): () => void {
    return this.#session.onState(listener);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#session.answeredBefore(monotonicMs);
  }

  async create(path: string, data: string, { mode, acl }: CreateOptions): Promise<Created> {
    const created = await withPortErrors(
      this.#session.create(path, data, { mode, acl: aclOf(acl) }),
    );
    return { path: created.path, czxid: created.stat.czxid, sentAt: created.sentAt };
  }

  existsWatch(path: string, onChange: () => void): Promise<WatchedStat> {
    return withPortErrors(this.#session.existsWatch(path, () => onChange()));
  }

  async read(path: string): Promise<Content> {
    const { data, stat, sentAt } = await withPortErrors(this.#session.getData(path));
    return { data: decoder.decode(data), stat, sentAt };
  }

  list(path: string): Promise<Listing> {
    return withPortErrors(this.#session.getChildren(path));
  }

  setData(path: string, data: string, version?: number): Promise<Answered> {
    return withPortErrors(this.#session.setData(path, data, version));
  }

  delete(path: string): Promise<Answered> {
    return withPortErrors(this.#session.delete(path));
  }

  sync(path: string): Promise<Answered> {
    return withPortErrors(this.#session.sync(path));
  }

  close(options?: SessionCloseOptions): Promise<void> {
    return this.#session.close(options);
  }
}

function aclOf(acl: readonly Acl[] | undefined): readonly WireAcl[] | undefined {
  return acl?.map(({ who, may: permissions }) => {
    const [{ scheme, id } = { scheme: 'world', id: 'anyone' }] =
      who === 'creator' ? creatorAcl : openAcl;
    return { scheme, id, permissions };
  });
}

async function withPortErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw portError(error);
  }
}

function portError(error: unknown): unknown {
  if (error instanceof UnknownOutcomeError) return new SessionDoubt(error.message, error);
  if (error instanceof NotSentError) return new SessionUnavailable(error.message, error);
  if (error instanceof ReplyError) {
    return new SessionReplyError(isKnown(error.code) ? error.code : 'OTHER', error.message, error);
  }
  if (error instanceof RequestError) {
    return new SessionReplyError('BADARGUMENTS', error.message, error);
  }
  return error;
}

function isKnown(code: string): code is ReplyCode {
  return CODES.has(code);
}

function openingFailure(error: unknown): unknown {
  if (error instanceof OpenError && (error.code === 'NO_SERVER' || error.code === 'ABORTED')) {
    return new SessionUnavailable(error.message, error);
  }
  if (!(error instanceof OpenError || error instanceof OptionError)) return error;
  return new ConfigError(`${NAME}: ${error.message}`, { backend: NAME, cause: error });
}
