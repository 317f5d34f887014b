import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import type { Transaction } from './transaction.ts';

/** What a server keeps on disk: its log, committed or not, and the epoch it has acknowledged. */
export class Storage {
  log: Transaction[] = [];
  epoch = 0;

  get lastZxid(): number {
    return this.log.at(-1)?.zxid ?? 0;
  }

  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'torn') this.log = this.log.slice(0, Math.max(0, this.log.length - lost));
    if (data !== 'empty') return;
    this.log = [];
    this.epoch = 0;
  }

  /** Takes over the log of a leader; returns how many entries at its beginning were the same. */
  adopt(log: readonly Transaction[], epoch: number): number {
    let same = Math.min(this.log.length, log.length);
    while (same > 0 && this.log[same - 1] !== log[same - 1]) same--;
    this.log = this.log.slice(0, same).concat(log.slice(same));
    this.epoch = epoch;
    return same;
  }
}
