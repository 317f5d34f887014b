import type { Redis } from 'ioredis';
import { learnScript } from './labels.ts';

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
