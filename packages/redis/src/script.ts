import type { LinkState } from './link-state.ts';
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
 * A call of a script: by its digest, or in full if the connection has not sent the script yet: else a server that does not
 * know the script would first refuse each of many calls at once.
 */
export class ScriptCommand {
  readonly #script: Script;
  readonly #keys: readonly string[];
  readonly #args: readonly string[];
  #isUnknown = false;

  constructor(script: Script, keys: readonly string[], args: readonly string[]) {
    this.#script = script;
    this.#keys = keys;
    this.#args = args;
  }

  /** The server does not know the script: from now on it is sent in full, by which the server caches it. */
  markUnknown(): void {
    this.#isUnknown = true;
  }

  argsOn(linkState: LinkState): readonly string[] {
    const script = this.#script;
    const isCached = !this.#isUnknown && linkState.hasLoaded(script);
    if (!isCached) linkState.loaded(script);
    return [
      isCached ? 'EVALSHA' : 'EVAL',
      isCached ? digestOf(script) : script.source,
      `${this.#keys.length}`,
      ...this.#keys,
      ...this.#args,
    ];
  }
}

/** True if a call by the digest was refused because the server does not know the script, or has dropped it. */
export function isUnknownScript(error: Error): boolean {
  return error instanceof NodeReplyError && error.code === 'NOSCRIPT';
}
