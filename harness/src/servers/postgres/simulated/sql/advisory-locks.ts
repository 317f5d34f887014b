interface AdvisoryHold {
  readonly pid: number;
  count: number;
}

/** Locks that belong to a session until it ends or gives them back; a session may take one several times. */
export class AdvisoryLocks {
  readonly #holds = new Map<string, AdvisoryHold>();

  tryLock(key: string, pid: number): boolean {
    const hold = this.#holds.get(key);
    if (hold === undefined) this.#holds.set(key, { pid, count: 1 });
    else if (hold.pid === pid) hold.count++;
    return hold === undefined || hold.pid === pid;
  }

  /** Returns false if this session does not hold it. */
  unlock(key: string, pid: number): boolean {
    const hold = this.#holds.get(key);
    if (hold?.pid !== pid) return false;
    hold.count--;
    if (hold.count === 0) this.#holds.delete(key);
    return true;
  }

  /** The session has ended. */
  ended(pid: number): void {
    for (const [key, hold] of this.#holds) if (hold.pid === pid) this.#holds.delete(key);
  }

  /** The keys that are locked. */
  get keys(): readonly string[] {
    return [...this.#holds.keys()];
  }
}
