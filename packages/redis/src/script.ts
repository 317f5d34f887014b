import type { LinkState } from './link-state.ts';
import type { CommandArgs } from './pending-command.ts';
import { NodeReplyError, type Script } from './port.ts';
import { sha1Hex } from './sha1.ts';

const digests = new WeakMap<Script, string>();

/** The name under which the server caches the script. Computed once per script object, so that no round trip is needed. */
export function digestOf(script: Script): string {
  let digest = digests.get(script);
  if (digest === undefined) {
    digest = sha1Hex(script.source);
    digests.set(script, digest);
  }
  return digest;
}

/**
 * A call by the digest, and in full where the connection has not seen the script yet: of many calls at once to a server
 * that does not know it, every one would be refused first. `operands` is what follows the script: number of keys, keys,
 * arguments.
 */
export function byDigest(script: Script, operands: readonly string[]): CommandArgs {
  const first = withSource(script, operands);
  return (linkState) =>
    linkState.hasLoaded(script) ? ['EVALSHA', digestOf(script), ...operands] : first(linkState);
}

/** A call that also teaches the server the script. */
export function withSource(
  script: Script,
  operands: readonly string[],
): (linkState: LinkState) => readonly string[] {
  return (linkState) => {
    linkState.loaded(script);
    return ['EVAL', script.source, ...operands];
  };
}

/** Whether a call by the digest was refused because the server does not know the script, or has forgotten it. */
export function isUnknownScript(error: Error): boolean {
  return error instanceof NodeReplyError && error.code === 'NOSCRIPT';
}
