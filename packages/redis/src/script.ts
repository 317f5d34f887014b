import type { Script } from './port.ts';
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
