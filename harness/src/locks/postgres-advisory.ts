import { Lazy } from '../simulator/index.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, leftoversMs, openingMs, SPARE_MS } from './patience.ts';

const recipe = new Lazy(() => import('./recipes/postgres.ts'));

const OPENING_WAYS = 14;
const WAYS = 6;
/** Between two polls of a waiter, and one more behind a call of its own session. */
const POLL_MS = 200;

export const postgresAdvisory: LockUnderTest = {
  name: 'postgres-advisory',
  kind: 'debated',
  needs: 'postgres',
  on: [
    {
      id: 'postgres-advisory',
      nodes: 1,
      meaning: 'one PostgreSQL, advisory locks of one session for each process; no fencing token',
    },
  ],
  load: () => recipe.load(),
  open: ({ database, sessionTtlMs: ttlMs }, host) =>
    recipe.module.openPostgresAdvisory({ database, ttlMs }, host),
  service: (addresses) => ({
    backend: 'postgres-advisory',
    url: `postgres://holdfast@${addresses.join(',')}/postgres`,
  }),
  promises: {
    renews: true,
    tokens: false,
    patience: {
      settleMs: (of) => DRIFT * (2 * leftoversMs(of) + BACK_OFF_MS + POLL_MS) + WAYS * of.latencyMs,
      handoverMs: (of) => POLL_MS + WAYS * of.latencyMs + openingMs(of, OPENING_WAYS) + SPARE_MS,
    },
  },
  wire: {
    labels: {
      acquire: ['advisory-acquire'],
      renew: ['advisory-prove'],
      release: ['advisory-release'],
    },
    requests: ['advisory-open'],
  },
};
