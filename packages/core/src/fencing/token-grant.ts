import { bound } from '../bound.ts';
import type { Grant, Release, Renewal, Validity } from '../port.ts';

/** A grant with another token. */
export class TokenGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly renew?: (ttlMs: number) => Promise<Renewal>;
  readonly onLost?: (listener: () => void) => () => void;
  readonly #grant: Grant;

  constructor(grant: Grant, fencingToken: bigint) {
    const { owner, leaseMs, validity } = grant;
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = leaseMs;
    this.validity = validity;
    const renew = bound(grant, 'renew');
    if (renew !== undefined) this.renew = renew;
    const onLost = bound(grant, 'onLost');
    if (onLost !== undefined) this.onLost = onLost;
    this.#grant = grant;
  }

  release(): Promise<Release> {
    return this.#grant.release();
  }
}
