/** What the servers know of a session; replicated as a whole, and compared by identity. */
export class ServerSession {
  readonly id: bigint;
  /** As negotiated. */
  readonly timeoutMs: number;
  /** Whom its client has proven to be, if anybody. */
  readonly identity: string | undefined;

  constructor(id: bigint, timeoutMs: number, identity: string | undefined) {
    this.id = id;
    this.timeoutMs = timeoutMs;
    this.identity = identity;
  }
}
