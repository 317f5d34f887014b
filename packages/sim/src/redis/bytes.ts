import type { EngineReply, InnerReply } from './reply.ts';

/**
 * Redis and Lua count and cut bytes. Inside the engine a string therefore holds one byte per character; text of
 * ASCII alone, which is nearly all of it, is the same in both forms and is passed through as it is.
 */
export function toBytes(text: string): string {
  return isAscii(text) ? text : String.fromCharCode(...encoder.encode(text));
}

/** The reverse; what is not UTF-8 becomes U+FFFD, as in the client libraries. */
export function toText(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

export function replyText(reply: InnerReply): EngineReply {
  if (typeof reply === 'string') return toText(reply);
  if (typeof reply === 'number' || reply === null) return reply;
  if ('status' in reply) return toText(reply.status);
  if ('error' in reply) return { error: toText(reply.error) };
  return reply.map(replyText);
}

/** Character by character: for strings as short as keys and owner values this beats a regular expression. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
