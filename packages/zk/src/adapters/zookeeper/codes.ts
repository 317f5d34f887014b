import type { SessionState } from '../../port.ts';
import { type ReplyCode, SessionDoubt, SessionReplyError } from '../../port.ts';

/** `zookeeper.h`: what a server answers about a request that it did not apply. */
const REPLIES: ReadonlyMap<number, ReplyCode> = new Map([
  [-6, 'UNIMPLEMENTED'],
  [-8, 'BADARGUMENTS'],
  [-101, 'NONODE'],
  [-102, 'NOAUTH'],
  [-103, 'OTHER'],
  [-108, 'NOCHILDRENFOREPHEMERALS'],
  [-110, 'NODEEXISTS'],
  [-111, 'NOTEMPTY'],
  [-114, 'INVALIDACL'],
  [-119, 'OTHER'],
  [-120, 'OTHER'],
  [-125, 'QUOTAEXCEEDED'],
  [-127, 'THROTTLEDOP'],
]);

export const OK = 0;
export const NO_NODE = -101;

/** Whether a server said it. Everything else the library makes up itself when it gives a connection up. */
export function isAnswer(code: number): boolean {
  return code === OK || REPLIES.has(code);
}

/** `text` is the library's name of the code: neither path nor data are in it. */
export function failureOf(code: number, text: string): SessionReplyError | SessionDoubt {
  const reply = REPLIES.get(code);
  const message = `${text} (${code})`;
  return reply === undefined ? new SessionDoubt(message) : new SessionReplyError(reply, message);
}

/** What the `close` event's code says of the session; its own `close` gives 0. */
export function finalStateOf(
  code: number,
): Extract<SessionState, 'expired' | 'auth-failed' | 'closed'> {
  if (code === -112) return 'expired';
  return code === -113 ? 'auth-failed' : 'closed';
}
