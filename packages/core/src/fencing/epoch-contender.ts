import { LockError, type LockErrorDetails } from '../errors.ts';
import type {
  Attempt,
  Contender,
  ContendRequest,
  Grant,
  Release,
  Renewal,
  Validity,
  Withdrawal,
} from '../port.ts';
import type { Runtime } from '../runtime.ts';
import { callDeadlineMs } from '../validity.ts';
import type { EpochGate, NotAdmitted } from './store-record.ts';

type Keyed = Pick<ContendRequest, 'key'>;
type Granted = Extract<Attempt, { kind: 'granted' }>;

interface EpochParts {
  readonly name: string;
  readonly runtime: Runtime;
}

/** Contends once the store has admitted this client, and puts the epoch into the token of its grant. */
class EpochContender implements Contender {
  protected readonly contender: Contender;
  readonly #gate: EpochGate;
  readonly #key: string;
  readonly #parts: EpochParts;

  constructor(contender: Contender, gate: EpochGate, { key }: Keyed, parts: EpochParts) {
    this.contender = contender;
    this.#gate = gate;
    this.#key = key;
    this.#parts = parts;
  }

  attempt(deadlineMs: number): Promise<Attempt> {
    return this.#gate.isOpen ? this.#attempt(deadlineMs) : this.#attemptBehindGate(deadlineMs);
  }

  withdraw(): Promise<Withdrawal> {
    return this.contender.withdraw();
  }

  async #attemptBehindGate(deadlineMs: number): Promise<Attempt> {
    return (await this.#passGate(deadlineMs)) ?? (await this.#attempt(deadlineMs));
  }

  #attempt(deadlineMs: number): Promise<Attempt> {
    return this.contender
      .attempt(deadlineMs)
      .then((attempt) => (attempt.kind === 'granted' ? this.#withToken(attempt) : attempt));
  }

  #passGate(deadlineMs: number): Promise<NotAdmitted | undefined> {
    const callEndMs = this.#parts.runtime.now().monotonicMs + callDeadlineMs(undefined);
    return this.#gate.pass(Math.min(deadlineMs, callEndMs));
  }

  #withToken(granted: Granted): Attempt | Promise<Attempt> {
    try {
      const grant = this.#inEpoch(granted.grant);
      return grant === granted.grant ? granted : { kind: 'granted', grant };
    } catch (error) {
      return this.#refuse(granted.grant, error);
    }
  }

  async #refuse(grant: Grant, error: unknown): Promise<Attempt> {
    await grant.release();
    if (error instanceof LockError) return { kind: 'refused', error };
    throw error;
  }

  /** @throws LockError for a token that does not fit */
  #inEpoch(grant: Grant): Grant {
    const { fencingToken: own, parts } = grant;
    if (parts !== undefined) {
      const inEpoch = new Map(Array.from(parts, ([key, part]) => [key, this.#inEpoch(part)]));
      return new TokenGrant(grant, own, inEpoch);
    }
    if (own === undefined) return grant;
    const token = epochToken(this.#gate.epoch, own, { key: this.#key, backend: this.#parts.name });
    return token === own ? grant : new TokenGrant(grant, token);
  }
}

/** Of a contender whose backend pushes wake-ups. */
class WakeableEpochContender extends EpochContender {
  async changed(signal: AbortSignal): Promise<void> {
    await this.contender.changed?.(signal);
  }
}

/** Puts the epoch of `gate` into the tokens of a contender, which attempts nothing before the store has admitted it. */
export function contenderInEpoch(
  contender: Contender,
  gate: EpochGate,
  request: Keyed,
  parts: EpochParts,
): Contender {
  const Kind = contender.changed === undefined ? EpochContender : WakeableEpochContender;
  return new Kind(contender, gate, request, parts);
}

/** A grant with another token, or with other tokens for its parts. */
class TokenGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly parts: ReadonlyMap<string, Grant> | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly renew?: (ttlMs: number) => Promise<Renewal>;
  readonly releaseToNext?: () => Promise<Release>;
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
    const releaseToNext = bound(grant, 'releaseToNext');
    if (releaseToNext !== undefined) this.releaseToNext = releaseToNext;
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

/** Above all of the store's own numbers; a double holds those exactly. */
const OWN_END: bigint = 2n ** 53n;

/**
 * Returns epoch × 2^53 + the store's own number, so that tokens of a later epoch are larger.
 * @example
 * ```ts
 * epochToken(1, 42n, { key: 'orders/42' }); // 9007199254741034n, above all of epoch 0
 * ```
 * @throws LockError with the code `FENCING_EPOCH` for a number of 2^53 or more: it would reach into the next epoch
 */
export function epochToken(epoch: number, own: bigint, details: LockErrorDetails): bigint {
  if (own >= 0n && own < OWN_END) return epoch === 0 ? own : BigInt(epoch) * OWN_END + own;
  const message = `${details.backend}: the store's own token ${own} is not below 2^53, so it fits no fencing epoch`;
  throw new LockError('FENCING_EPOCH', message, details);
}

/**
 * Returns a method of `object` that can be called alone; undefined if the object lacks it.
 * @example
 * ```ts
 * const inspect = bound(backend, 'inspect');
 * if (inspect !== undefined) log(await inspect('orders/42'));
 * ```
 */
export function bound<T extends object, K extends keyof T>(object: T, name: K): T[K] | undefined {
  const method: unknown = object[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bind keeps the parameters and the result
  return typeof method === 'function' ? (method.bind(object) as T[K]) : undefined;
}
