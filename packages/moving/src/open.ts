import { CapabilityError, ConfigError } from '@holdfast/core';
import { type Backend, FENCING_EPOCH_MAX, type Host, StoreRecord } from '@holdfast/core/backend';
import { MovingBackend } from './backend.ts';
import { NAME } from './identity.ts';
import { Move, type Side } from './move.ts';

/** One of the two stores of a move. */
export interface MovedStore {
  /** The open backend, as its recipe opens it: without a fencing epoch of its own. It is closed with the moving one. */
  readonly backend: Backend;
  /** The fencing epoch of the store; default 0. */
  readonly fencingEpoch?: number | undefined;
  /** The ttl of its holds, if the leases of the other store are sessions; default 30 000 ms. */
  readonly ttlMs?: number | undefined;
}

/** The two stores of a move. */
export interface MovingOptions {
  /** The store that is moved from; its tokens count until the flip. */
  readonly from: MovedStore;
  /** Its fencing epoch is higher than that of `from`. */
  readonly to: MovedStore;
}

/**
 * Opens locks that are moved from one store to another under live traffic: each takes the lock in both, always in the order
 * of the stores' identities. So it excludes clients of the old store and clients of the new one, and neither store may be
 * down. Its tokens are those of `from`, if it has any, until `holdfast move flip` has marked `to`, and those of `to` from then on.
 * @example
 * ```ts
 * const from = { backend: await openRedisSimple({ source: 'redis://old' }, host) };
 * const to = { backend: await openRedisSimple({ source: 'redis://new' }, host), fencingEpoch: 1 };
 * const locks = createLocks(await openMoving({ from, to }, host), host);
 * ```
 * @throws ConfigError for epochs that do not grow
 * @throws CapabilityError for a store without marks, or a new one without fencing tokens
 */
export async function openMoving({ from, to }: MovingOptions, host: Host): Promise<Backend> {
  if (to.backend.capabilities.fencing === 'none')
    throw cannotMove(to.backend, 'to', 'fencing tokens');
  const [old, next] = [sideOf(from, 'from'), sideOf(to, 'to')];
  if (next.epoch <= old.epoch)
    throw configError(
      `the fencingEpoch of "to" is ${next.epoch}, and must be higher than that of "from", ${old.epoch}`,
    );
  return new MovingBackend(new Move(old, next, host), host);
}

function sideOf({ backend, fencingEpoch: epoch = 0, ttlMs }: MovedStore, side: string): Side {
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > FENCING_EPOCH_MAX)
    throw configError(
      `a fencingEpoch is a whole number from 0 to ${FENCING_EPOCH_MAX}, not ${epoch}`,
    );
  if (backend.marks === undefined) throw cannotMove(backend, side, 'marks');
  const record = new StoreRecord(backend.marks, backend.name);
  return { backend, epoch, record, ttlMs };
}

function cannotMove({ name }: Backend, side: string, lack: string): CapabilityError {
  return new CapabilityError(`${NAME}: ${name} cannot be moved ${side}: it has no ${lack}`, {
    backend: NAME,
  });
}

function configError(why: string): ConfigError {
  return new ConfigError(`${NAME}: ${why}`, { backend: NAME });
}
