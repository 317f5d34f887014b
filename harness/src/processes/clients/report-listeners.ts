import type { ClientReport } from './messages.ts';

interface ReportListener {
  readonly kind: ClientReport['kind'];
  readonly key: string | undefined;
  readonly resolve: () => void;
}

/** Promises of a client's next report of a kind. */
export class ReportListeners {
  #listeners: readonly ReportListener[] = [];

  /** Resolves at the next report of this kind, for `key` if given; earlier reports do not count. */
  next(kind: ClientReport['kind'], key?: string): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners = [...this.#listeners, { kind, key, resolve }];
    });
  }

  report(kind: ClientReport['kind'], key: string): void {
    const matches = (each: ReportListener): boolean =>
      each.kind === kind && (each.key === undefined || each.key === key);
    const matching = this.#listeners.filter(matches);
    this.#listeners = this.#listeners.filter((each) => !matches(each));
    for (const { resolve } of matching) resolve();
  }
}
