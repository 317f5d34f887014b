import type { Inspection } from '../api/reports.ts';
import {
  BackendUnavailableError,
  CapabilityError,
  InvalidOptionError,
  LockError,
} from '../errors.ts';
import { shown } from '../options.ts';
import type { Backend, ContendAllRequest, Host } from '../port.ts';
import { callDeadlineMs } from '../validity.ts';
import { bound, contenderInEpoch, epochToken } from './epoch-contender.ts';
import { EpochGate, FENCING_EPOCH_MAX, isInRange, StoreRecord } from './store-record.ts';

/** A backend, and the check that its store has the fencing epoch of this client. */
export interface EpochBackend {
  /** The backend with tokens of its epoch. */
  readonly backend: Backend;
  /**
   * Reads the epoch of the store, before the first use. A store that is down is asked again then.
   * @throws LockError with the code `FENCING_EPOCH` if the store has another epoch
   */
  readonly checkEpoch: () => Promise<void>;
}

/**
 * Adds the fencing epoch to a backend: its tokens become epoch × 2^53 + the store's own number. The epoch is written into
 * the store at first use, and a client with another one is refused.
 * @example
 * ```ts
 * const { backend, checkEpoch } = withFencingEpoch(await openMemory({}, host), host);
 * await checkEpoch();
 * const locks = createLocks(backend, host);
 * ```
 * @param epoch 0 to 1 023; default 0
 * @throws CapabilityError if an epoch is given for a backend that cannot keep one
 * @throws InvalidOptionError for an epoch that is none
 */
export function withFencingEpoch(backend: Backend, host: Host, epoch?: number): EpochBackend {
  const { marks, name, capabilities } = backend;
  if (marks === undefined || capabilities.fencing === 'none') {
    if (epoch !== undefined) throw noEpochError(backend);
    return { backend, checkEpoch: () => Promise.resolve() };
  }
  const record = new StoreRecord(marks, name);
  const gate = new EpochGate(record, name, checkFencingEpoch(epoch ?? 0, name));
  const deadlineMs = (): number => host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  const parts = { name, runtime: host.runtime };
  const adopt = bound(backend, 'adopt');
  const inspect = bound(backend, 'inspect');
  const forceRelease = bound(backend, 'forceRelease');
  const health = bound(backend, 'health');
  const heldKeys = bound(backend, 'heldKeys');
  const contendAll = bound(backend, 'contendAll');
  const withEpochs: Backend = {
    name,
    capabilities,
    evicts: backend.evicts,
    marks,
    contend: (request) => contenderInEpoch(backend.contend(request), gate, request, parts),
    ...(contendAll && {
      contendAll: (request: ContendAllRequest) => {
        const contender = contendAll(request);
        const all = { key: request.keys.join(', ') };
        return contender && contenderInEpoch(contender, gate, all, parts);
      },
    }),
    ...(adopt && {
      adopt: (request) => contenderInEpoch(adopt(request), gate, request, parts),
    }),
    ...(inspect && {
      inspect: async (key) => {
        const inspection = await inspect(key);
        return withEpoch(inspection, (await record.epoch(deadlineMs())) ?? 0, name);
      },
    }),
    ...(forceRelease && { forceRelease }),
    ...(health && { health }),
    ...(heldKeys && { heldKeys }),
    close: (options) => backend.close(options),
  };
  const checkEpoch = async (): Promise<void> => {
    try {
      await gate.check(deadlineMs());
    } catch (error) {
      if (error instanceof LockError && !(error instanceof BackendUnavailableError)) throw error;
    }
  };
  return { backend: withEpochs, checkEpoch };
}

function withEpoch(inspection: Inspection, epoch: number, backend: string): Inspection {
  const { key, fencingToken: own } = inspection;
  if (own === undefined) return { ...inspection, fencingEpoch: epoch };
  const fencingToken = epochToken(epoch, own, { key, backend });
  return { ...inspection, fencingEpoch: epoch, fencingToken };
}

/** @throws InvalidOptionError unless it is a whole number from 0 to 1 023 */
function checkFencingEpoch(epoch: unknown, backend: string): number {
  if (typeof epoch === 'number' && Number.isInteger(epoch) && isInRange(epoch)) return epoch;
  const message = `fencingEpoch must be a whole number from 0 to ${FENCING_EPOCH_MAX}, not ${shown(epoch)}`;
  throw new InvalidOptionError(message, { backend });
}

/** The error for an epoch that a backend cannot keep. */
function noEpochError({ name, capabilities }: Backend): CapabilityError {
  const why =
    capabilities.fencing === 'none' ? 'it has no fencing tokens' : 'it keeps no marks in its store';
  return new CapabilityError(`${name} has no fencingEpoch: ${why}`, { backend: name });
}
