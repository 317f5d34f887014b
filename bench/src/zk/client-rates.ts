import { type Spread, spreadOf } from '../statistics.ts';
import type { ClientName } from './client-process.ts';
import type { Batch, PairWorkload } from './pair-workload.ts';

export interface PairResult {
  readonly client: ClientName;
  readonly servers: number;
  readonly way: PairWorkload;
  readonly pairsPerSecond: Spread;
  /** CPU time of the client's process for one pair, in µs. */
  readonly cpuUs: Spread;
  /** Ratio to npm `zookeeper` in this round. */
  readonly ratio: Spread | undefined;
}

/** The results of one client in one workload, by round. */
export class ClientRates {
  readonly #client: ClientName;
  readonly #way: PairWorkload;
  readonly #rates: number[] = [];
  readonly #cpuUs: number[] = [];

  constructor(client: ClientName, way: PairWorkload) {
    this.#client = client;
    this.#way = way;
  }

  /** Adds one round; batches of other clients and workloads are ignored. */
  add(
    way: PairWorkload,
    batches: readonly { readonly client: ClientName; readonly batch: Batch }[],
  ): void {
    if (way !== this.#way) return;
    const own = batches.filter(({ client }) => client === this.#client).map(({ batch }) => batch);
    // All batches have equally many pairs, so the total time is the sum of their times per pair.
    this.#rates.push(own.length / own.reduce((sum, { rate }) => sum + 1 / rate, 0));
    this.#cpuUs.push(own.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / own.length);
  }

  result(servers: number, all: readonly ClientRates[]): PairResult {
    return {
      client: this.#client,
      servers,
      way: this.#way,
      pairsPerSecond: spreadOf(this.#rates),
      cpuUs: spreadOf(this.#cpuUs),
      ratio: this.#ratioTo(all),
    };
  }

  #ratioTo(all: readonly ClientRates[]): Spread | undefined {
    const npm = all.find((other) => other.#client === 'zookeeper' && other.#way === this.#way);
    if (npm === undefined || npm === this) return undefined;
    return spreadOf(this.#rates.map((rate, round) => rate / (npm.#rates[round] ?? Number.NaN)));
  }
}
