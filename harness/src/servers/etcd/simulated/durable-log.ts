import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import type { Entry } from './entry.ts';

/** What a server has on its disk. Entries count from 1. */
export class DurableLog {
  readonly entries: Entry[] = [];
  term = 0;
  /** The server that it voted for in this term; 0: none. */
  vote = 0;
  /** Entries that are known to be committed. */
  commit = 0;
  /** It has lost what it once had: it must not count in a majority before a leader has sent it everything again. */
  isDamaged = false;

  get last(): number {
    return this.entries.length;
  }

  get lastTerm(): number {
    return this.termAt(this.last);
  }

  /** 0 for an entry that it does not have. */
  termAt(index: number): number {
    return this.entries[index - 1]?.term ?? 0;
  }

  /** Writes entries behind `index`; other entries there are removed. Returns the number of entries that stayed. */
  write(index: number, entries: readonly Entry[]): number {
    const differs = entries.findIndex((entry, i) => this.entries[index + i] !== entry);
    if (differs < 0) return this.last;
    const kept = index + differs;
    this.entries.length = kept;
    this.entries.push(...entries.slice(differs));
    return kept;
  }

  /** What a crash leaves. */
  lose({ data, lost = 1 }: RestartOptions): void {
    if (data === 'durable') return;
    this.isDamaged = true;
    if (data === 'torn') {
      this.entries.length = Math.max(0, this.last - lost);
    } else {
      this.entries.length = 0;
      this.term = 0;
      this.vote = 0;
    }
    this.commit = Math.min(this.commit, this.last);
  }
}
