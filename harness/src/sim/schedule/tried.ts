import type { Attempt, Backend, Contender } from '@holdfast/core';

/** Nothing may be sent any more when it is called with this. */
const LONG_AGO_MS = 0;

/** A backend each of whose contenders has made so many attempts in vain before its first: none of them sends anything. */
export function tried(backend: Backend, attempts = 0): Backend {
  // A library that stands in a backend's place makes its attempts by itself.
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
      // Whoever takes no heed of a deadline may have won.
      if (early.kind === 'granted') return early;
    }
    return await attempt(deadlineMs);
  };
  return Object.assign(contender, { attempt: attemptAfterOthers });
}
