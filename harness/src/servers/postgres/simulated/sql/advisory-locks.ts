interface AdvisoryHold {
  readonly pid: number;
  readonly owner: string | undefined;
  count: number;
}

/** Called when a lock gets an owner, or loses it. */
export type AdvisoryChange = (
  key: string,
  owner: string | undefined,
  by: 'request' | 'end of session',
) => void;

/** Locks that belong to a session until it ends or gives them back; a session may take one several times. */
export class AdvisoryLocks {
  /** For judges. */
  changed: AdvisoryChange = () => {};
  readonly #holds = new Map<string, AdvisoryHold>();

  /** @param owner the owner value that the statement names, for judges; one without is a lock of nobody known */
  tryLock(key: string, pid: number, owner?: string): boolean {
    const hold = this.#holds.get(key);
    if (hold !== undefined && hold.pid !== pid) return false;
    this.#holds.set(key, { pid, owner, count: (hold?.count ?? 0) + 1 });
    this.changed(key, owner, 'request');
    return true;
  }

  /** Returns false if this session does not hold it. */
  unlock(key: string, pid: number): boolean {
    const hold = this.#holds.get(key);
    if (hold?.pid !== pid) return false;
    hold.count--;
    if (hold.count === 0) this.#delete(key, 'request');
    return true;
  }

  /** The session has ended. */
  ended(pid: number): void {
    for (const [key, hold] of this.#holds)
      if (hold.pid === pid) this.#delete(key, 'end of session');
  }

  /** The locks that are held, each with its owner. */
  get holds(): readonly { readonly key: string; readonly owner: string | undefined }[] {
    return Array.from(this.#holds, ([key, { owner }]) => ({ key, owner }));
  }

  #delete(key: string, by: 'request' | 'end of session'): void {
    this.#holds.delete(key);
    this.changed(key, undefined, by);
  }
}
