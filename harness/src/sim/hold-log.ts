/** The state of a hold in one server's record, from `atMs` until the next status. */
export interface HoldStatus {
  /** True time. */
  readonly atMs: number;
  /**
   * The time until which this record keeps the key from other owners, if nothing more is done; -Infinity: the hold is
   * gone.
   */
  readonly untilMs: number;
  /** True if the hold is gone because a request of its own holder removed it. */
  readonly isOwn: boolean;
  /** True if nothing of the hold was stored and a renewal has created it. */
  readonly isMade: boolean;
}

/** One value under one key of one server, from the write of the value to the next write there. */
export interface StoredValue {
  readonly server: string;
  readonly key: string;
  readonly owner: string;
  /** True time. */
  readonly atMs: number;
  /** The time until which the server keeps it, if nothing more is done. */
  readonly untilMs: number;
  /** The time of the next write there; Infinity while there is none. */
  toMs: number;
  /** True if a client's request wrote it; false if the server restarted with it, or restarted its ttl. */
  readonly isFromClient: boolean;
}

/** The request that a server is executing. */
interface ClientRequest {
  readonly client: string;
  /** The label of anchors and traces. */
  readonly label: string;
}

/** The status of a hold according to one of its values. */
interface ValueStatus {
  readonly attempt: number;
  readonly status: HoldStatus;
}

/** The hold and the attempt that an owner value belongs to. */
interface ParsedOwner {
  readonly hold: string;
  readonly attempt: number;
}

/** The value that is stored under one key of one server. */
interface CurrentValue {
  readonly owner: string;
  readonly untilMs: number;
  readonly stored: StoredValue;
}

export interface HoldLogOptions {
  readonly nowMs: () => number;
  /** The labels of renewals. */
  readonly renewals: readonly string[];
  /** Returns the hold that an owner value belongs to: several values of one contender may be one hold. */
  readonly holdOf: (owner: string) => string;
  /** Returns the attempt of its contender that wrote an owner value; attempts count upwards. */
  readonly attemptOf: (owner: string) => number;
}

const GONE = Number.NEGATIVE_INFINITY;

/**
 * The servers' own records of every hold, at every time. Replies to clients are judged against them. A server writes
 * here when it changes something; writing here changes nothing else.
 */
export class HoldLog {
  /** Set while a server executes a client's request. */
  request: ClientRequest | undefined;
  /** Servers that were promoted in place of another. */
  readonly promoted: Set<string> = new Set();
  /** Every value that any server ever stored. */
  readonly storedValues: StoredValue[] = [];
  readonly #options: HoldLogOptions;
  /** By hold, and by server. */
  readonly #timelines = new Map<string, Map<string, ValueStatus[]>>();
  readonly #writers = new Map<string, string>();
  /** The same values are written many times, and parsing one costs more than the rest of this class. */
  readonly #values = new Map<string, ParsedOwner>();
  readonly #current = new Map<string, Map<string, CurrentValue>>();

  constructor(options: HoldLogOptions) {
    this.#options = options;
  }

  /**
   * Returns the records of the hold that was granted with this owner value, one for each server that ever stored a
   * value of its contender. A server that lost the tail of its log may restart with an earlier attempt, or with a
   * value that healing has replaced. No client renews or releases such a value any more, so it does not belong to the
   * hold.
   */
  timelinesOf(owner: string): ReadonlyMap<string, readonly HoldStatus[]> | undefined {
    const { hold, attempt } = this.#valueOf(owner);
    const lines = this.#timelines.get(hold);
    if (lines === undefined) return undefined;
    const found = new Map<string, readonly HoldStatus[]>();
    for (const [server, line] of lines) found.set(server, since(attempt, line));
    return found;
  }

  /**
   * Returns the records by address, where an address has servers of these names behind it. A promoted server that
   * never stored the hold has an empty record.
   */
  timelinesAt(
    addresses: readonly (readonly string[])[],
    owner: string,
  ): readonly (readonly (readonly HoldStatus[])[])[] {
    const lines = this.timelinesOf(owner);
    const lineOf = (server: string): readonly (readonly HoldStatus[])[] => {
      const line = lines?.get(server) ?? (this.promoted.has(server) ? [] : undefined);
      return line === undefined ? [] : [line];
    };
    return addresses.map((servers) => servers.flatMap(lineOf));
  }

  /**
   * Records that `owner` is stored under the key from now on; undefined: nothing is. `isOwn`: the holder itself
   * removed its value; derived from {@link request} where that is set.
   */
  note(
    server: string,
    key: string,
    owner: string | undefined,
    untilMs: number = GONE,
    isOwn?: boolean,
  ): void {
    const keys = this.#keysOf(server);
    const before = keys.get(key);
    if (before?.owner === owner && (owner === undefined || before?.untilMs === untilMs)) return;
    if (before !== undefined) before.stored.toMs = this.#options.nowMs();
    if (before !== undefined && before.owner !== owner) this.#recordEnd(server, before, isOwn);
    if (owner === undefined) keys.delete(key);
    else {
      keys.set(key, { owner, untilMs, stored: this.#recordStored(server, key, owner, untilMs) });
      this.#recordBegin(server, before, owner, untilMs);
    }
  }

  /** Records that the server has lost all other keys. */
  keepOnly(server: string, kept: ReadonlySet<string>): void {
    for (const key of this.#keysOf(server).keys())
      if (!kept.has(key)) this.note(server, key, undefined);
  }

  #recordStored(server: string, key: string, owner: string, untilMs: number): StoredValue {
    const isFromClient = this.request !== undefined;
    const atMs = this.#options.nowMs();
    const stored: StoredValue = {
      server,
      key,
      owner,
      atMs,
      untilMs,
      toMs: Number.POSITIVE_INFINITY,
      isFromClient,
    };
    this.storedValues.push(stored);
    return stored;
  }

  #recordBegin(
    server: string,
    before: CurrentValue | undefined,
    owner: string,
    untilMs: number,
  ): void {
    const { request } = this;
    const { nowMs, renewals } = this.#options;
    const isRenewal = request !== undefined && renewals.includes(request.label);
    const wasHeld = isRenewal && before?.owner === owner && before.untilMs > nowMs();
    if (request !== undefined && !this.#writers.has(owner))
      this.#writers.set(owner, request.client);
    this.#add(server, owner, {
      atMs: nowMs(),
      untilMs,
      isOwn: false,
      isMade: isRenewal && !wasHeld,
    });
  }

  #recordEnd(server: string, { owner }: CurrentValue, isKnownOwn: boolean | undefined): void {
    const isByHolder =
      this.request !== undefined && this.#writers.get(owner) === this.request.client;
    const isOwn = isKnownOwn ?? isByHolder;
    this.#add(server, owner, { atMs: this.#options.nowMs(), untilMs: GONE, isOwn, isMade: false });
  }

  #add(server: string, owner: string, status: HoldStatus): void {
    const { hold, attempt } = this.#valueOf(owner);
    const lines = this.#timelines.get(hold);
    const line = lines?.get(server);
    const entry = { attempt, status };
    if (line !== undefined) line.push(entry);
    else if (lines !== undefined) lines.set(server, [entry]);
    else this.#timelines.set(hold, new Map([[server, [entry]]]));
  }

  #valueOf(owner: string): ParsedOwner {
    const known = this.#values.get(owner);
    if (known !== undefined) return known;
    const { holdOf, attemptOf } = this.#options;
    const value = { hold: holdOf(owner), attempt: attemptOf(owner) };
    this.#values.set(owner, value);
    return value;
  }

  #keysOf(server: string): Map<string, CurrentValue> {
    const known = this.#current.get(server);
    if (known !== undefined) return known;
    const made = new Map<string, CurrentValue>();
    this.#current.set(server, made);
    return made;
  }
}

/** Returns the statuses from the `granted` attempt on, without those of attempts older than an earlier status. */
function since(granted: number, line: readonly ValueStatus[]): readonly HoldStatus[] {
  let latest = granted;
  const statuses: HoldStatus[] = [];
  for (const { attempt, status } of line) {
    if (attempt < latest) continue;
    latest = attempt;
    statuses.push(status);
  }
  return statuses;
}
