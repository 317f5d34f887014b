import {
  bound,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
} from '@holdfast/core/backend';
import { type HeldPart, renewed } from './held-part.ts';

/** Both locks as one: valid while both are, and lost with either. */
export class MovingGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly renew?: (ttlMs: number) => Promise<Renewal>;
  readonly #grants: readonly Grant[];
  readonly #ttls: readonly (number | undefined)[];

  constructor(parts: readonly HeldPart[], fencingToken: bigint) {
    const grants = parts.map((part) => part.handOver());
    this.owner = grants[0]?.owner ?? '';
    this.fencingToken = fencingToken;
    this.leaseMs = Math.min(...grants.map(({ leaseMs }) => leaseMs));
    this.validity = shorter(parts.map(({ validity }) => validity));
    this.#grants = grants;
    this.#ttls = parts.map(({ ownTtlMs }) => ownTtlMs);
    if (grants.every((grant) => grant.renew !== undefined))
      this.renew = (ttlMs) => this.#renew(ttlMs);
  }

  async release(): Promise<Release> {
    const releases = await Promise.all(this.#grants.map((grant) => grant.release()));
    return (
      releases.find(({ kind }) => kind === 'unknown') ??
      releases.find(({ kind }) => kind === 'not-held') ?? { kind: 'released' }
    );
  }

  onLost(listener: () => void): () => void {
    const removals = this.#grants.map((grant) => bound(grant, 'onLost')?.(listener));
    return () => {
      for (const remove of removals) remove?.();
    };
  }

  /** Renewed only if both are. */
  async #renew(ttlMs: number): Promise<Renewal> {
    const renewals = await Promise.all(
      this.#grants.map((grant, i) => renewed(grant, this.#ttls[i] ?? ttlMs)),
    );
    // Core releases what is left of a lost lease.
    if (renewals.some(({ kind }) => kind === 'lost')) return { kind: 'lost' };
    const validities: Validity[] = [];
    for (const renewal of renewals) {
      if (renewal.kind !== 'renewed') return renewal;
      validities.push(renewal.validity);
    }
    return { kind: 'renewed', validity: shorter(validities) };
  }
}

/** The validity that is over as soon as one of them is, by either clock. */
function shorter(validities: readonly Validity[]): Validity {
  const [first, ...more] = validities.toSorted((a, b) => a.from.monotonicMs - b.from.monotonicMs);
  if (first === undefined) throw new RangeError('there is no validity');
  const { from } = first;
  const ends = more.map((each) => {
    const monotonicMs = each.from.monotonicMs - from.monotonicMs;
    return each.ms + Math.min(monotonicMs, each.from.wallMs - from.wallMs);
  });
  return { from, ms: Math.min(first.ms, ...ends) };
}
