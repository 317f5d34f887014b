import type { Site } from './site.ts';

/** The control: nobody takes turns. */
export function noLock(): Site {
  return {
    opening: () => ({ backend: 'no-lock' }),
    strikes: {},
    close: () => Promise.resolve(),
  };
}
