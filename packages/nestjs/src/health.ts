import { Inject, Injectable } from '@nestjs/common';
import type { Health } from 'holdfast';
import { Locks } from './locks.ts';

/**
 * A health indicator for `@nestjs/terminus`. An app whose probe fails is restarted: use it for readiness, not for liveness.
 * @example
 * ```ts
 * await terminus.check([() => health.isHealthy('locks')]);
 * ```
 */
@Injectable()
export class HoldfastHealth {
  readonly #locks: Locks;

  /** For Nest. */
  constructor(@Inject(Locks) locks: Locks) {
    this.#locks = locks;
  }

  /**
   * Asks every node of the store whether it serves: `up` if enough of them do. `locks` are those of {@link Locks}, unless
   * others are given.
   * @throws CapabilityError if the backend cannot report its health
   */
  async isHealthy(
    name: string,
    locks: Pick<Locks, 'health'> = this.#locks,
  ): Promise<Readonly<Record<string, HealthResult>>> {
    const { ok, nodes } = await locks.health();
    return { [name]: { status: ok ? 'up' : 'down', nodes } };
  }
}

interface HealthResult {
  readonly status: 'up' | 'down';
  readonly nodes: Health['nodes'];
}
