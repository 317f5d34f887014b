import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { realStage, takeSimulated } from './zookeeper-stages.ts';
import { type Step, sequences, take } from './zookeeper-steps.ts';

/**
 * Once a minute a server removes empty containers, each by a transaction of its own: those of earlier sequences, at a
 * moment that no step can know of, so that all numbers behind it were one too high.
 */
const UNDISTURBED = { 'znode.container.checkIntervalMs': '86400000' };

/** The number of sequences of steps to compare, and their servers. */
export interface Comparison {
  readonly numRuns: number;
  readonly seed: number;
  /** Of the simulated ensemble. */
  readonly size: number;
}

/** A real server, and a simulated one for every sequence of steps. */
export class ZooKeeperPair {
  readonly #server: ZooKeeperServer;
  #sequences = 0;
  /** The number of compared replies. */
  compared = 0;

  private constructor(server: ZooKeeperServer) {
    this.#server = server;
  }

  static async start(): Promise<ZooKeeperPair> {
    return new ZooKeeperPair(await ZooKeeperServer.start({ properties: UNDISTURBED }));
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Returns how many replies have been compared. */
  async compareMany({ numRuns, seed, size }: Comparison): Promise<number> {
    const before = this.compared;
    const property = fc.asyncProperty(sequences, (steps) => this.#compare(steps, size));
    await fc.assert(property, { numRuns, seed });
    return this.compared - before;
  }

  /** Both answer alike: replies, refusals, numbers of transactions, owners, and which watches fire at which step. */
  async #compare(steps: readonly Step[], size: number): Promise<void> {
    const folder = `/p${this.#sequences++}`;
    const real = await take(realStage(this.#server.address), folder, steps);
    deepStrictEqual(await takeSimulated(folder, steps, size), real);
    this.compared += real.length;
  }
}
