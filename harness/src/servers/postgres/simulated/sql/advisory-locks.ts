interface AdvisoryHold {
  readonly pid: number;
  readonly owner: string | undefined;
  count: number;
}

/** Records for judges that a lock got an owner, or lost it: at the request of its holder, or as its session ended. */
export interface AdvisoryRecords {
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void;
}

/** The sessions of a server. */
export interface SilentSessions {
  /** True if the server has given up on the client of a session: its machine has not replied for too long. */
  isGivenUp(pid: number): boolean;
}

/** Locks that belong to a session until it ends or gives them back; a session may take one several times. */
export class AdvisoryLocks {
  records: AdvisoryRecords | undefined;
  sessions: SilentSessions | undefined;
  readonly #holds = new Map<string, AdvisoryHold>();

  /** @param owner the owner value that the statement names, for judges; one without is a lock of nobody known */
  tryLock(key: string, pid: number, owner?: string): boolean {
    this.#giveUp();
    const hold = this.#holds.get(key);
    if (hold !== undefined && hold.pid !== pid) return false;
    this.#holds.set(key, { pid, owner, count: (hold?.count ?? 0) + 1 });
    this.records?.advisory(key, owner, true);
    return true;
  }

  /** Returns false if this session does not hold it. */
  unlock(key: string, pid: number): boolean {
    const hold = this.#holds.get(key);
    if (hold?.pid !== pid) return false;
    hold.count--;
    if (hold.count === 0) this.#delete(key, true);
    return true;
  }

  /** The session has ended. */
  ended(pid: number): void {
    for (const [key, hold] of this.#holds) if (hold.pid === pid) this.#delete(key, false);
  }

  /** The locks that are held, each with its owner. */
  get holds(): readonly { readonly key: string; readonly owner: string | undefined }[] {
    this.#giveUp();
    return Array.from(this.#holds, ([key, { owner }]) => ({ key, owner }));
  }

  /** Nothing asks before this, so a server needs no timer. */
  #giveUp(): void {
    for (const [key, { pid }] of this.#holds)
      if (this.sessions?.isGivenUp(pid) === true) this.#delete(key, false);
  }

  #delete(key: string, isOfHolder: boolean): void {
    this.#holds.delete(key);
    this.records?.advisory(key, undefined, isOfHolder);
  }
}
