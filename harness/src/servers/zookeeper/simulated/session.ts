const PASSWORD_BYTES = 16;
/** What only the servers know. */
const SECRET = 0xb3415c00n;

/** What the servers know of a session; replicated as a whole, and compared by identity. */
export class ServerSession {
  readonly id: bigint;
  /** As negotiated. */
  readonly timeoutMs: number;
  /** The client proves with it that the session is its own. Every server can derive it from the id (`generatePasswd`). */
  readonly password: Uint8Array;

  constructor(id: bigint, timeoutMs: number) {
    this.id = id;
    this.timeoutMs = timeoutMs;
    this.password = new Uint8Array(PASSWORD_BYTES);
    new DataView(this.password.buffer).setBigUint64(0, id ^ SECRET);
  }

  isProvenBy(password: Uint8Array): boolean {
    return this.password.every((byte, at) => byte === password[at]);
  }
}
