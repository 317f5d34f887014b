import {
  type Attempt,
  type Backend,
  type Contender,
  type Grant,
  systemRuntime,
} from '@holdfast/core/backend';

/** Longer than any test: a key that is gone sooner did not expire. */
export const LONG_MS = 600_000;

/** The names under which redis-simple and redis-getset store a key. */
export const lockOf = (key: string): string => `holdfast:v1:{${key}}:lock`;
export const fenceOf = (key: string): string => `holdfast:v1:{${key}}:fence`;

/** A grant, of a backend that can renew and has tokens. */
export type Held = Required<Grant> & { readonly fencingToken: bigint };

const runtime = systemRuntime();
/** Far longer than anything here takes on a busy machine, and shorter than a test may. */
const UNTIL_MS_MAX = 20_000;

export function contend(backend: Backend, key: string, ttlMs = 30_000): Contender {
  return backend.contend({ key, contender: runtime.randomId(), ttlMs });
}

/** One attempt that may take as long as the backend lets it. */
export function attempt(contender: Contender): Promise<Attempt> {
  return contender.attempt(Number.MAX_SAFE_INTEGER);
}

/** Tries until it wins. */
export async function won(contender: Contender): Promise<Held> {
  const from = runtime.now();
  for (;;) {
    const outcome = await attempt(contender);
    if (outcome.kind === 'granted') return outcome.grant as Held;
    if (outcome.kind === 'refused') throw outcome.error;
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX) throw new Error(`not granted: ${outcome.kind}`);
    // As little as it takes for timers, sockets and this test's limit to have their turn.
    await new Promise((again) => setTimeout(again));
  }
}

export async function take(backend: Backend, key: string, ttlMs?: number): Promise<Held> {
  return await won(contend(backend, key, ttlMs));
}

/** Looks again and again until `happened`. */
export async function until(happened: () => Promise<boolean>): Promise<void> {
  const from = runtime.now();
  while (!(await happened())) {
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX)
      throw new Error(`it did not happen: ${String(happened)}`);
    await new Promise((look) => setTimeout(look, 5));
  }
}
