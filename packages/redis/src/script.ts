import type { RoutedCall } from './cluster/routing.ts';
import type { LinkState } from './link-state.ts';
import type { Caller } from './pending-command.ts';
import { NodeReplyError, type Reply, type Script } from './port.ts';
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

/** Sends the commands of a node. */
export interface ScriptSender {
  call(command: ScriptCall, options: RoutedCall, caller: Caller): void;
}

/**
 * A call of a script: by its digest, or in full if the connection has not sent the script yet: else a server that does not
 * know the script would first refuse each of many calls at once.
 */
export class ScriptCall implements Caller {
  readonly #sender: ScriptSender;
  readonly #script: Script;
  readonly #keys: readonly string[];
  readonly #args: readonly string[];
  readonly #options: RoutedCall;
  #resolve!: (reply: Reply) => void;
  #reject!: (error: Error) => void;
  #isUnknown = false;

  constructor(
    sender: ScriptSender,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: RoutedCall,
  ) {
    this.#sender = sender;
    this.#script = script;
    this.#keys = keys;
    this.#args = args;
    this.#options = options;
  }

  run(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#send();
    });
  }

  resolve(reply: Reply): void {
    this.#resolve(reply);
  }

  /** If the server does not know the script it is sent in full, once, by which the server caches it. */
  reject(error: Error): void {
    if (this.#isUnknown || !isUnknownScript(error)) return this.#reject(error);
    this.#isUnknown = true;
    this.#send();
  }

  #send(): void {
    // oxlint-disable-next-line no-useless-call -- a method of that name, not of a function
    this.#sender.call(this, this.#options, this);
  }

  argsOn(linkState: LinkState): readonly string[] {
    const script = this.#script;
    const isCached = !this.#isUnknown && linkState.hasLoaded(script);
    if (!isCached) linkState.loaded(script);
    const name = isCached ? 'EVALSHA' : 'EVAL';
    const text = isCached ? digestOf(script) : script.source;
    // Spread into a literal, they would take more bytes.
    return [name, text, `${this.#keys.length}`].concat(this.#keys, this.#args);
  }
}

/** True if a call by the digest was refused because the server does not know the script, or has dropped it. */
function isUnknownScript(error: Error): boolean {
  return error instanceof NodeReplyError && error.code === 'NOSCRIPT';
}
