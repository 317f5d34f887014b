import { setTimeout as sleep } from 'node:timers/promises';
import {
  fourLetters,
  type ZooKeeperEnsemble,
} from '../../../../../harness/test/kit/real-servers.ts';

/** The status that a server reported of itself. */
export interface Claim {
  readonly server: number;
  readonly mode: string;
  /** Of its latest transaction: the number of the reign under which it was made. */
  readonly epoch: number;
  readonly atMs: number;
}

const LOOK_MS = 100;
const EPOCH_BITS = 32n;

/** Asks all servers again and again who leads, so that it can be said afterwards who reigned when. */
export class Reigns {
  readonly #ensemble: ZooKeeperEnsemble;
  readonly #latest: (Claim | undefined)[] = [];
  #brokenMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  readonly #watching: Promise<void>;

  constructor(ensemble: ZooKeeperEnsemble) {
    this.#ensemble = ensemble;
    this.#watching = this.#watch();
  }

  /** The last status of this server, however old. */
  latest(server: number): Claim | undefined {
    return this.#latest[server];
  }

  /** True if at every look since then all servers served, and one led. */
  wereWellSince(ms: number): boolean {
    return this.#brokenMs < ms;
  }

  /** Asks each server for its status. */
  ask(): Promise<readonly (Claim | undefined)[]> {
    return Promise.all(this.#ensemble.servers.map(({ port }, server) => claimOf(port, server)));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const claims = await this.ask();
      for (const claim of claims) if (claim !== undefined) this.#latest[claim.server] = claim;
      if (!areWell(claims)) this.#brokenMs = performance.now();
      await sleep(LOOK_MS);
    }
  }
}

/** All serve, and exactly one leads. */
export function areWell(claims: readonly (Claim | undefined)[]): boolean {
  const modes = claims.map((claim) => claim?.mode);
  return !modes.includes(undefined) && modes.filter((mode) => mode === 'leader').length === 1;
}

/** Of several that take themselves for the leader, the one that came last. */
export function leaderOf(claims: readonly (Claim | undefined)[]): Claim | undefined {
  return claims
    .flatMap((claim) => (claim?.mode === 'leader' ? [claim] : []))
    .toSorted((a, b) => b.epoch - a.epoch)[0];
}

async function claimOf(port: number, server: number): Promise<Claim | undefined> {
  const text = await fourLetters(port, 'srvr');
  const mode = /^Mode: (\w+)$/m.exec(text)?.[1];
  const zxid = /^Zxid: (0x[0-9a-f]+)$/m.exec(text)?.[1];
  if (mode === undefined || zxid === undefined) return undefined;
  const epoch = Number(BigInt(zxid) >> EPOCH_BITS);
  return { server, mode, epoch, atMs: performance.now() };
}
