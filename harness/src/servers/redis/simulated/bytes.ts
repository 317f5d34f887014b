import { sha1Hex } from '@holdfast/redis/port';
import { type EngineReply, type InnerReply, SimUnsupportedError } from './reply.ts';

/**
 * Redis and Lua count and cut bytes, so a string inside the engine holds one byte per character. ASCII text, which is
 * nearly all of it, has one form in both encodings and is returned unchanged.
 */
function toBytes(text: string): string {
  return isAscii(text) ? text : String.fromCharCode(...encoder.encode(text));
}

/** Of the arguments of a command. */
export function allToBytes(texts: readonly string[]): readonly string[] {
  return texts.every(isAsciiArgument) ? texts : texts.map(toBytes);
}

/** From this length on an argument is nearly always a script. */
const SCRIPT_LENGTH = 200;
/** Every new server is sent the same few scripts. */
const asciiScripts = new Set<string>();
const ASCII_SCRIPTS_MAX = 1_000;

function isAsciiArgument(text: string): boolean {
  if (text.length < SCRIPT_LENGTH) return isAscii(text);
  if (asciiScripts.has(text)) return true;
  if (!isAscii(text)) return false;
  if (asciiScripts.size < ASCII_SCRIPTS_MAX) asciiScripts.add(text);
  return true;
}

/** The reverse of {@link toBytes}; bytes that are not UTF-8 become U+FFFD, as in the client libraries. */
export function toText(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

export function decodeReply(reply: InnerReply): EngineReply {
  if (typeof reply === 'string') return toText(reply);
  if (typeof reply === 'number' || reply === null) return reply;
  if ('status' in reply) return toText(reply.status);
  if ('error' in reply) return { error: toText(reply.error) };
  return reply.map(decodeReply);
}

/** Up to this length the loop beats the regular expression. */
const SHORT = 24;
// oxlint-disable-next-line no-control-regex -- this is about all characters of ASCII
const OTHERS = /[^\0-\x7f]/;

function isAscii(text: string): boolean {
  if (text.length > SHORT) return !OTHERS.test(text);
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the SHA-1 of a string of bytes, as hex. */
export function digest(bytes: string): string {
  const text = toText(bytes);
  if (toBytes(text) !== bytes) throw new SimUnsupportedError('SHA-1 of what is not UTF-8');
  return sha1Hex(text);
}
