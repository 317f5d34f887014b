import type { FairKeys, Store } from '../store.ts';
import { FairLine } from './line.ts';

/** The lines of one process, by key. Each lives while somebody waits in it, and a little longer. */
export class FairQueue {
  /** Names the process to the server. */
  readonly process: string;
  readonly #lines = new Map<string, FairLine>();
  #hasWarned = false;

  constructor(process: string) {
    this.process = process;
  }

  find(key: string): FairLine | undefined {
    return this.#lines.get(key);
  }

  lineFor(store: Store, keys: FairKeys): FairLine {
    const { key } = keys;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = new FairLine(store, keys, this.process, () => this.#lines.delete(key));
      this.#lines.set(key, line);
    }
    return line;
  }

  /** A client without a queue takes keys whenever they are free. It is safe, and not in order; said once. */
  warnMixed({ host }: Store, backend: string, key: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const message = `a client without fair: true has '${key}': it takes keys out of order; open all clients of a key with fair: true`;
    host.emit({ type: 'warning', backend, code: 'mixed-fairness', message, key });
  }

  close(): void {
    for (const line of Array.from(this.#lines.values())) line.close();
  }
}
