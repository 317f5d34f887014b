import { ReplyError, UnknownOutcomeError } from './errors.ts';
import { type EmptyReply, OP, type Operation, readEmpty, XID } from './operation.ts';
import { failureCode } from './reply-codes.ts';
import type { ServerConnection } from './server-connection.ts';

/** An identity that the session proves, again on every connection. */
export interface Credential {
  /** Mostly `digest`. */
  readonly scheme: string;
  /** Of `digest`: `user:password`. */
  readonly auth: string | Uint8Array;
}

const encoder = new TextEncoder();

/** Sends a credential. `callback` is passed undefined on success. After a {@link ReplyError} the server closes the connection. */
export function sendAuth(
  connection: ServerConnection,
  { scheme, auth }: Credential,
  callback: (error: ReplyError | UnknownOutcomeError | undefined) => void,
): void {
  const name = `prove an identity of scheme ${scheme}`;
  const bytes = typeof auth === 'string' ? encoder.encode(auth) : auth;
  const operation: Operation<EmptyReply> = {
    type: OP.auth,
    name,
    write: (writer) => void writer.int(0).string(scheme).bytes(bytes),
    read: readEmpty,
  };
  connection.sendWithFixedXid(XID.auth, operation, (failure) => {
    if (failure === 0) return callback(undefined);
    if (failure === undefined)
      return callback(new UnknownOutcomeError(`${name}: the connection was lost`));
    const code = failureCode(failure);
    return callback(new ReplyError(code, `${name}: ${code} (${failure})`));
  });
}
