import { ConfigError } from '@holdfast/core';
import type { Backend } from '@holdfast/core/backend';
import type { MovedStore } from '@holdfast/moving';
import * as v from 'valibot';
import { defaults, name } from '../config/fields.ts';
import type { LockDefaults } from '../config/types.ts';
import type { Config } from './built-in.ts';
import type { BackendRecord, Reject } from './record.ts';
import { isZk } from './zk.ts';

/** The configuration of one store of a move. */
export type MovedConfig = Exclude<Config, MovingConfig>;

/** A move from one store to another under live traffic: every lock is taken in both. */
export interface MovingConfig extends LockDefaults {
  readonly backend: 'moving';
  /** The store that is moved from. */
  readonly from: MovedConfig;
  /** The store that is moved to; its `fencingEpoch` is higher. */
  readonly to: MovedConfig;
}

/** Options that are those of the locks, and so stand beside the stores. */
const OF_LOCKS = ['waitMs', 'renew', 'maxHoldMs', 'require', 'connect'] as const;

export const moving: BackendRecord<MovingConfig> = {
  name: 'moving',
  schemes: {},
  schema: v.strictObject({
    backend: name('moving', 'A move from one store to another under live traffic.'),
    from: store('The store that is moved from: a configuration.'),
    to: store('The store that is moved to: a configuration with a higher fencingEpoch.'),
    ...defaults,
  }),
  parts: ['from', 'to'],
  check: ({ from, to, ttlMs }, reject, isBuiltIn) => {
    const [before, after] = [epochOf(from), epochOf(to)];
    if (after <= before)
      reject(
        `the fencingEpoch of "to" is ${after}, and must be higher than that of "from", ${before}.`,
      );
    const session = [from, to].find(isZk)?.backend;
    // An imported backend says only once it is open whether its leases are sessions.
    if (session !== undefined || [from, to].every(({ backend }) => isBuiltIn(backend)))
      checkTtls({ from, to, ttlMs }, session, reject);
    for (const [side, part] of Object.entries({ from, to })) {
      if (part.backend === 'moving') reject(`"${side}" must be a store, not another move.`);
      const misplaced = OF_LOCKS.find((option) => part[option] !== undefined);
      if (misplaced !== undefined)
        reject(
          `"${misplaced}" belongs beside "${side}", not into it: a lock is taken in both stores.`,
        );
    }
  },
  load: async () => {
    const { openMoving } = await import('@holdfast/moving');
    return {
      open: async (config, host, openPart) => {
        const opened: Backend[] = [];
        try {
          for (const part of [config.from, config.to]) opened.push(await openPart(part));
          const [from, to] = opened;
          if (from === undefined || to === undefined) throw new Error('both are open');
          const session = opened.find(({ capabilities }) => capabilities.lease === 'session');
          checkTtls(config, session?.name, (message) => {
            throw new ConfigError(`moving: ${message}`, { backend: 'moving' });
          });
          const stores = { from: storeOf(from, config.from), to: storeOf(to, config.to) };
          return await openMoving(stores, host);
        } catch (error) {
          await Promise.all(opened.map((backend) => backend.close()));
          throw error;
        }
      },
    };
  },
};

/** With a session each store has a ttl of its own, without one both have the same. */
function checkTtls(
  { from, to, ttlMs }: Pick<MovingConfig, 'from' | 'to' | 'ttlMs'>,
  session: string | undefined,
  reject: Reject,
): void {
  if (session !== undefined && ttlMs !== undefined)
    reject(
      `"ttlMs" belongs into the stores: the leases of ${session} last as long as its session.`,
    );
  if (session === undefined && [from, to].some((part) => part.ttlMs !== undefined))
    reject('"ttlMs" belongs beside "from" and "to": a lease has one ttl in both stores.');
}

function storeOf(backend: Backend, config: MovedConfig): MovedStore {
  return { backend, ttlMs: config.ttlMs, fencingEpoch: epochOf(config) };
}

function epochOf(config: MovedConfig): number {
  return ('fencingEpoch' in config ? config.fencingEpoch : undefined) ?? 0;
}

/** Its options are checked as those of its backend. */
function store(meaning: string): v.GenericSchema<MovedConfig> {
  const object = v.looseObject(
    { backend: v.string('must be a string') },
    'must be a configuration',
  );
  return v.pipe(object, v.description(meaning));
}
