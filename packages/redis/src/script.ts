import type { LinkState } from './link-state.ts';
import type { CommandArgs } from './pending-command.ts';
import { NodeReplyError, type Script } from './port.ts';
import { sha1Hex } from './sha1.ts';

const digests = new WeakMap<Script, string>();

/**
 * Returns the digest under which the server caches the script; computed once per script object.
 * @example
 * ```ts
 * const isKnown = await node.command(['SCRIPT', 'EXISTS', digestOf(ACQUIRE)], { deadlineMs });
 * ```
 */
export function digestOf(script: Script): string {
  let digest = digests.get(script);
  if (digest === undefined) {
    digest = sha1Hex(script.source);
    digests.set(script, digest);
  }
  return digest;
}

/**
 * Returns a call by the digest, or in full if the connection has not sent the script yet: else a server that does not
 * know the script would first refuse each of many calls at once. `operands` follow the script: number of keys, keys,
 * arguments.
 */
export function byDigest(script: Script, operands: readonly string[]): CommandArgs {
  return (linkState) =>
    linkState.hasLoaded(script)
      ? ['EVALSHA', digestOf(script), ...operands]
      : inFull(script, operands, linkState);
}

/** Returns a call in full, by which the server caches the script. */
export function withSource(
  script: Script,
  operands: readonly string[],
): (linkState: LinkState) => readonly string[] {
  return (linkState) => inFull(script, operands, linkState);
}

function inFull(script: Script, operands: readonly string[], linkState: LinkState): string[] {
  linkState.loaded(script);
  return ['EVAL', script.source, ...operands];
}

/** True if a call by the digest was refused because the server does not know the script, or has dropped it. */
export function isUnknownScript(error: Error): boolean {
  return error instanceof NodeReplyError && error.code === 'NOSCRIPT';
}
