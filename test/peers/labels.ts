import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

const names = new Map<string, string>();

/** A library has this script: in full or by its digest, it is called `name` in anchors and traces. */
export function learnScript(name: string, source: string): void {
  names.set(source, name).set(createHash('sha1').update(source).digest('hex'), name);
}

/** The label of a command in rules, anchors and traces. */
export function labelOf([command = '', script = '']: readonly string[]): string {
  const name = command.toUpperCase();
  if (name !== 'EVAL' && name !== 'EVALSHA') return name;
  return names.get(script) ?? name;
}

/** Has a library evaluate its script on a client that knows none, and takes note of what it sends then. */
export async function learnEvaluated(
  name: string,
  evaluate: (client: Redis) => Promise<unknown>,
): Promise<void> {
  const client = {
    evalsha: () => Promise.reject(new Error('NOSCRIPT')),
    eval: (source: string) => {
      learnScript(name, source);
      return Promise.resolve(1);
    },
  };
  await evaluate(client as unknown as Redis);
}
