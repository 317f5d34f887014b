import { LockError } from '@holdfast/core';
import { TTL_MS_MAX, TTL_MS_MIN } from '@holdfast/core/backend';
import type { Actor } from '../actor.ts';
import { assertRule, textOf } from '../breach.ts';
import type { BackendUnderTest, Check } from '../subject.ts';

const perCallTtl = ({ capabilities }: BackendUnderTest): string | undefined =>
  capabilities.lease === 'session' ? 'the session has the ttl' : undefined;

/** The range of the ttl. */
export const options: readonly Check[] = [
  {
    name: 'the shortest and the longest ttl are granted as requested',
    needs: perCallTtl,
    async run(stage) {
      const a = await stage.actor('a');

      for (const ttlMs of [TTL_MS_MIN, TTL_MS_MAX]) {
        const { leaseMs } = await a.acquire(stage.key(), ttlMs);
        assertRule(leaseMs === ttlMs, `${ttlMs} ms were requested, and ${leaseMs} ms granted`);
      }
    },
  },
  {
    name: 'an invalid ttl is refused before anything is sent',
    needs: perCallTtl,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');

      for (const ttlMs of [0, -1, TTL_MS_MIN - 1, 1_000.5, TTL_MS_MAX + 1, Number.NaN]) {
        const key = stage.key();
        const error = await refusal(a, key, ttlMs);
        assertRule(
          error instanceof LockError,
          `a ttl of ${ttlMs} ms was not refused: ${textOf(error)}`,
        );
        await b.mustAcquire(key, stage.longMs, `a ttl of ${ttlMs} ms was refused`);
      }
    },
  },
  {
    name: 'a ttl per call is refused on a session backend',
    needs: ({ capabilities }) =>
      capabilities.lease === 'session' ? undefined : 'every call has a ttl of its own',
    async run(stage) {
      const { backend, runtime } = await stage.actor('a');
      const contender = runtime.randomId();
      const ttlMs = stage.longMs;
      let error: unknown;

      try {
        const made = backend.contend({ key: stage.key(), contender, ttlMs });
        const outcome = await made.attempt(runtime.now().monotonicMs + stage.shortMs);
        error = outcome.kind === 'refused' ? outcome.error : outcome.kind;
      } catch (cause) {
        error = cause;
      }

      assertRule(error instanceof LockError, `it was not refused: ${textOf(error)}`);
    },
  },
];

/** The error with which `contend` or the attempt rejects a ttl; otherwise the kind of the outcome. */
async function refusal(a: Actor, key: string, ttlMs: number): Promise<unknown> {
  try {
    const outcome = await a.tryAcquire(key, ttlMs);
    return outcome.kind === 'refused' ? outcome.error : outcome.kind;
  } catch (cause) {
    return cause;
  }
}
