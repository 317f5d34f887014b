import type { Attempt, Backend, Contender } from '@holdfast/core/backend';

/** A deadline in the past: an attempt with it must not send anything. */
const LONG_AGO_MS = 0;

/** Makes each contender of a backend make so many attempts in vain before its first: none of them sends anything. */
export function withVainAttempts(backend: Backend, attempts = 0): Backend {
  // A library that takes a backend's place makes its attempts by itself.
  if (attempts === 0 || !('contend' in backend)) return backend;
  const contend = backend.contend.bind(backend);
  return Object.assign(backend, {
    contend: (...request: Parameters<typeof contend>) => experienced(contend(...request), attempts),
  });
}

function experienced(contender: Contender, attempts: number): Contender {
  const attempt = contender.attempt.bind(contender);
  let left = attempts;
  const attemptAfterOthers = async (deadlineMs: number): Promise<Attempt> => {
    for (; left > 0; left--) {
      const early = await attempt(LONG_AGO_MS);
      // A contender that ignores deadlines may have won.
      if (early.kind === 'granted') return early;
    }
    return await attempt(deadlineMs);
  };
  return Object.assign(contender, { attempt: attemptAfterOthers });
}
