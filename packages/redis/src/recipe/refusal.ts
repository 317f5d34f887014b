import { propertyOf } from '../adapters/reply.ts';
import type { NodeReplyError } from '../port.ts';
import { classifyReply } from '../replies.ts';
import { aclLine } from './rights.ts';

/** Codes of Node for a TLS connection that it does not trust. */
const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_)/;

/** Replies to a log-in that only a change of the configuration helps, beside those of the reply table. */
const WRONG_LOG_IN = /DB index is out of range|without any password configured|no password is set/;
/** In a log-in: of a database, by SELECT. */
const DENIED_COMMAND = /^-?NOPERM .*run the '([\w|]+)' command/;

/** Returns why waiting will not help against a failure: a wrong password stays wrong, unlike a server that is down. */
export function refusalOf(cause: unknown, reply: NodeReplyError | undefined): string | undefined {
  if (reply === undefined) return certificateFault(cause);
  if (classifyReply(reply) !== 'refused' && !WRONG_LOG_IN.test(reply.message)) return undefined;
  const [, command] = DENIED_COMMAND.exec(reply.message) ?? [];
  const remedy = command === undefined ? '' : `; add ${aclLine([`+${command}`])}`;
  return `refused access: ${reply.message}${remedy}`;
}

function certificateFault(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = propertyOf(error, 'code');
    if (typeof code === 'string' && UNTRUSTED.test(code))
      return `has a certificate that is not trusted: ${error.message}; give the option tls, for example { ca }`;
  }
  return undefined;
}
