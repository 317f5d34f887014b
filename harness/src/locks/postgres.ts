import * as port from '@holdfast/postgres/port';
import { Lazy, type LivenessBounds } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
import type { LockUnderTest } from './lock.ts';
import {
  BACK_OFF_MS,
  DRIFT,
  JITTER_MS,
  leftoversMs,
  openingMs,
  SAFETY_POLL_MS,
  SPARE_MS,
} from './patience.ts';

const recipe = new Lazy(() => import('./recipes/postgres.ts'));

/** A connection that is half open is noticed after a proof of life, every 10 s, has had no reply for 2 s. */
const LINK_MS = 2_000;
/** Connecting, three questions for the server's process on the listening connection and one on another, then LISTEN. */
const OPENING_WAYS = 14;
/** The release, its notification, the attempt and its reply; a connection may have to be opened for the attempt. */
const WAYS = 6;
/** The time until an old primary is back as a standby of the new one: until then nothing is committed. */
const REJOIN_MS = 300;

const patienceOf = (standbyWays: number, unservedMs: number): LivenessBounds => ({
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + LINK_MS + BACK_OFF_MS + SAFETY_POLL_MS + JITTER_MS + unservedMs) +
    (WAYS + standbyWays) * of.latencyMs,
  handoverMs: (of) => (WAYS + standbyWays) * of.latencyMs + openingMs(of, OPENING_WAYS) + SPARE_MS,
});

/** The user and the database of the servers that the harness starts. */
const serviceAt = (addresses: readonly string[]) => ({
  backend: 'postgres',
  url: `postgres://holdfast@${addresses.join(',')}/postgres`,
});

export const postgres: LockUnderTest = {
  name: 'postgres',
  kind: 'lock',
  needs: 'postgres',
  on: [
    {
      id: 'postgres',
      nodes: 1,
      real: ['one-postgres', 'forgetful-postgres', 'postgres-pair'],
      meaning: 'one PostgreSQL, a row with an expiry and a fencing token',
    },
    {
      id: 'postgres-synchronous',
      nodes: 1,
      topology: { kind: 'synchronous' },
      real: ['synchronous-postgres'],
      service: (addresses) => ({ ...serviceAt(addresses), synchronous: true }),
      open: ({ database }, host) =>
        recipe.module.openPostgres({ database, synchronous: true }, host),
      // Two commits, each there and back once more: the release, and the attempt after it.
      patience: patienceOf(4, REJOIN_MS),
      meaning: 'the same with a synchronous standby, and a strict fencing token',
    },
  ],
  load: () => recipe.load(),
  open: ({ database }, host) => recipe.module.openPostgres({ database }, host),
  edited: editedPackage('postgres', 'openPostgres', ({ database }) => ({ database }), port),
  service: serviceAt,
  played: { notifiedOn: 'subscribed' },
  promises: {
    renews: true,
    tokens: true,
    patience: patienceOf(0, 0),
    modeWaiterOf: (contender) => contender,
  },
  wire: {
    labels: {
      acquire: ['acquire', 'acquire-synchronous'],
      renew: ['renew', 'renew-synchronous'],
    },
    requests: ['LISTEN'],
    schema: () => recipe.module.migration(),
  },
  style: { glyph: '⬢', variant: '⬡', colour: 'blue', shape: 'circle' },
  margin: { isPromised: true },
};
