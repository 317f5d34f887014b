import {
  BackendUnavailableError,
  CapabilityError,
  InvalidOptionError,
  LockError,
  type LockErrorDetails,
} from '../errors.ts';
import { shown } from '../options.ts';
import type {
  Attempt,
  Backend,
  ContendAllRequest,
  Contender,
  ContendRequest,
  Grant,
  Host,
  Inspection,
  Release,
  Renewal,
  Validity,
  Withdrawal,
} from '../port.ts';
import type { Runtime } from '../runtime.ts';
import { callDeadlineMs } from '../validity.ts';
import {
  EpochGate,
  FENCING_EPOCH_MAX,
  isInRange,
  type NotAdmitted,
  StoreRecord,
} from './store-record.ts';

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
    contend: (request) => new EpochContender(backend.contend(request), gate, request, parts),
    ...(contendAll && {
      contendAll: (request: ContendAllRequest) => {
        const contender = contendAll(request);
        const all = { key: request.keys.join(', ') };
        return contender && new EpochContender(contender, gate, all, parts);
      },
    }),
    ...(adopt && {
      adopt: (request) => new EpochContender(adopt(request), gate, request, parts),
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

interface EpochParts {
  readonly name: string;
  readonly runtime: Runtime;
}

/** Contends once the store has admitted this client, and puts the epoch into the token of its grant. */
class EpochContender implements Contender {
  readonly changed?: (signal: AbortSignal) => Promise<void>;
  readonly #contender: Contender;
  readonly #gate: EpochGate;
  readonly #runtime: Runtime;
  readonly #details: { readonly key: string; readonly backend: string };

  constructor(
    contender: Contender,
    gate: EpochGate,
    { key }: Pick<ContendRequest, 'key'>,
    parts: EpochParts,
  ) {
    this.#contender = contender;
    this.#gate = gate;
    this.#runtime = parts.runtime;
    this.#details = { key, backend: parts.name };
    const changed = bound(contender, 'changed');
    if (changed !== undefined) this.changed = changed;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const failure = this.#gate.isOpen ? undefined : await this.#passGate(deadlineMs);
    if (failure !== undefined) return failure;
    const attempt = await this.#contender.attempt(deadlineMs);
    return attempt.kind === 'granted' ? await this.#withToken(attempt.grant) : attempt;
  }

  withdraw(): Promise<Withdrawal> {
    return this.#contender.withdraw();
  }

  #passGate(deadlineMs: number): Promise<NotAdmitted | undefined> {
    const callEndMs = this.#runtime.now().monotonicMs + callDeadlineMs(undefined);
    return this.#gate.pass(Math.min(deadlineMs, callEndMs));
  }

  async #withToken(grant: Grant): Promise<Attempt> {
    try {
      return { kind: 'granted', grant: this.#inEpoch(grant) };
    } catch (error) {
      await grant.release();
      if (error instanceof LockError) return { kind: 'refused', error };
      throw error;
    }
  }

  /** @throws LockError for a token that does not fit */
  #inEpoch(grant: Grant): Grant {
    const { fencingToken: own, parts } = grant;
    if (parts !== undefined) {
      const inEpoch = new Map(Array.from(parts, ([key, part]) => [key, this.#inEpoch(part)]));
      return new TokenGrant(grant, own, inEpoch);
    }
    if (own === undefined) return grant;
    const fencingToken = epochToken(this.#gate.epoch, own, this.#details);
    return fencingToken === own ? grant : new TokenGrant(grant, fencingToken);
  }
}

/** A grant with another token, or with other tokens for its parts. */
class TokenGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly parts: ReadonlyMap<string, Grant> | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly renew?: (ttlMs: number) => Promise<Renewal>;
  readonly export?: () => string;
  readonly onLost?: (listener: () => void) => () => void;
  readonly #grant: Grant;

  constructor(grant: Grant, fencingToken: bigint | undefined, parts?: ReadonlyMap<string, Grant>) {
    const { owner, leaseMs, validity } = grant;
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.parts = parts;
    this.leaseMs = leaseMs;
    this.validity = validity;
    const renew = bound(grant, 'renew');
    if (renew !== undefined) this.renew = renew;
    const exported = bound(grant, 'export');
    if (exported !== undefined) this.export = exported;
    const onLost = bound(grant, 'onLost');
    if (onLost !== undefined) this.onLost = onLost;
    this.#grant = grant;
  }

  release(): Promise<Release> {
    return this.#grant.release();
  }
}

/** The bits of a token that the store counts in; a double holds so many exactly. */
const OWN_BITS = 53n;

/**
 * Returns epoch × 2^53 + the store's own number, so that every token of a later epoch is larger than all of an earlier one.
 * @throws LockError with the code `FENCING_EPOCH` for a number of 2^53 or more: it would reach into the next epoch
 */
export function epochToken(epoch: number, own: bigint, details: LockErrorDetails): bigint {
  if (own >= 0n && own < 1n << OWN_BITS) return (BigInt(epoch) << OWN_BITS) + own;
  const message = `${details.backend}: the store's own token ${own} is not below 2^53, so it fits no fencing epoch`;
  throw new LockError('FENCING_EPOCH', message, details);
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

/** Returns a method of `object` that can be called alone; undefined if the object lacks it. */
export function bound<T extends object, K extends keyof T>(object: T, name: K): T[K] | undefined {
  const method: unknown = object[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bind keeps the parameters and the result
  return typeof method === 'function' ? (method.bind(object) as T[K]) : undefined;
}
