import {
  bound,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  worstRelease,
} from '@holdfast/core/backend';
import { type HeldPart, renewed } from './held-part.ts';

/** Both locks as one: valid while both are, and lost with either. */
export class MovingGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly renew?: (ttlMs: number) => Promise<Renewal>;
  readonly #grants: readonly Grant[];
  readonly #ttls: readonly (number | undefined)[];

  constructor(parts: readonly HeldPart[], fencingToken: bigint | undefined) {
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
    return worstRelease(await Promise.all(this.#grants.map((grant) => grant.release())));
  }

  onLost(listener: () => void): () => void {
    const removals = this.#grants.map((grant) => bound(grant, 'onLost')?.(listener));
    return () => {
      for (const remove of removals) remove?.();
    };
  }

  /** Renewed only if both are. Lost with the first that is, also while the other does not reply; core releases that one. */
  #renew(ttlMs: number): Promise<Renewal> {
    const renewals = this.#grants.map((grant, i) => renewed(grant, this.#ttls[i] ?? ttlMs));
    return new Promise((resolve) => {
      for (const each of renewals)
        void each.then((renewal) => renewal.kind === 'lost' && resolve(renewal));
      void Promise.all(renewals).then((all) => resolve(bothRenewed(all)));
    });
  }
}

function bothRenewed(renewals: readonly Renewal[]): Renewal {
  const validities: Validity[] = [];
  for (const renewal of renewals) {
    if (renewal.kind !== 'renewed') return renewal;
    validities.push(renewal.validity);
  }
  return { kind: 'renewed', validity: shorter(validities) };
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
