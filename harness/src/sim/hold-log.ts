/** What one server's record says of a hold from `atMs` on, until it says something else. */
export interface HoldStatus {
  /** True time. */
  readonly atMs: number;
  /** Until when nobody else can be granted the key by this record, if nothing more is done; -Infinity: it is gone. */
  readonly untilMs: number;
  /** It is gone because its own holder sent so. */
  readonly isOwn: boolean;
  /** Nothing of the hold was there, and a renewal has put it there. */
  readonly isMade: boolean;
}

/** One value under one key of one server, from when it was written until anything was written there. */
export interface StoredValue {
  readonly server: string;
  readonly key: string;
  readonly owner: string;
  /** True time. */
  readonly atMs: number;
  /** Until when the server keeps it, if nothing more is done. */
  readonly untilMs: number;
  /** When something else was written there; Infinity while nothing is. */
  toMs: number;
  /** A client's request wrote it; false where the server has come back with it, or counts its time anew. */
  readonly isFromClient: boolean;
}

/** Whose request a server is executing. */
interface ClientRequest {
  readonly client: string;
  /** As it is called in anchors and traces. */
  readonly label: string;
}

/** What is said of a hold by one of its values. */
interface ValueStatus {
  readonly attempt: number;
  readonly status: HoldStatus;
}

/** Whose an owner value is, and which of its attempts. */
interface ParsedOwner {
  readonly hold: string;
  readonly attempt: number;
}

/** What stands under one key of one server. */
interface CurrentValue {
  readonly owner: string;
  readonly untilMs: number;
  readonly stored: StoredValue;
}

export interface HoldLogOptions {
  readonly nowMs: () => number;
  /** The labels of renewals. */
  readonly renewals: readonly string[];
  /** Whose record an owner value belongs to: several of one contender may be one hold. */
  readonly holdOf: (owner: string) => string;
  /** Which attempt of its contender an owner value was written by; attempts are counted upwards. */
  readonly attemptOf: (owner: string) => number;
}

const GONE = Number.NEGATIVE_INFINITY;

/**
 * What the servers' own records say of every hold, at every time: against which the answers that clients get are judged.
 * Written where a server changes something, and changes nothing itself.
 */
export class HoldLog {
  /** Set while a server executes what a client has sent. */
  request: ClientRequest | undefined;
  /** Servers that took the place of another. */
  readonly promoted: Set<string> = new Set();
  /** All that ever stood on any server. */
  readonly storedValues: StoredValue[] = [];
  readonly #options: HoldLogOptions;
  /** By hold, and by server. */
  readonly #timelines = new Map<string, Map<string, ValueStatus[]>>();
  readonly #writers = new Map<string, string>();
  /** Values are written again and again, and taking one apart costs more than the rest of this. */
  readonly #values = new Map<string, ParsedOwner>();
  readonly #current = new Map<string, Map<string, CurrentValue>>();

  constructor(options: HoldLogOptions) {
    this.#options = options;
  }

  /**
   * The records of the hold that was granted with this owner value, one for each server that ever had a value of its
   * contender. A server that lost the tail of its log may come back with an earlier attempt, or with what healing has
   * replaced: nobody renews or releases that any more, so it is none of the hold's.
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
   * The same, of each address that has servers of these names behind it: who came to serve there and never had the hold
   * says so, too.
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
   * `owner` is what stands under the key from now on; undefined: nothing. `isOwn`: whoever stood there wanted to go; it is
   * known by itself where {@link request} is set.
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

  /** The server has all else than these keys no more. */
  keepOnly(server: string, kept: ReadonlySet<string>): void {
    for (const key of this.#keysOf(server).keys())
      if (!kept.has(key)) this.note(server, key, undefined);
  }

  #recordStored(server: string, key: string, owner: string, untilMs: number): StoredValue {
    const isFromClient = this.request !== undefined;
    const atMs = this.#options.nowMs();
    const stay: StoredValue = {
      server,
      key,
      owner,
      atMs,
      untilMs,
      toMs: Number.POSITIVE_INFINITY,
      isFromClient,
    };
    this.storedValues.push(stay);
    return stay;
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
    const stood = isRenewal && before?.owner === owner && before.untilMs > nowMs();
    if (request !== undefined && !this.#writers.has(owner))
      this.#writers.set(owner, request.client);
    this.#add(server, owner, { atMs: nowMs(), untilMs, isOwn: false, isMade: isRenewal && !stood });
  }

  #recordEnd(server: string, { owner }: CurrentValue, isKnownOwn: boolean | undefined): void {
    const isAsked = this.request !== undefined && this.#writers.get(owner) === this.request.client;
    const isOwn = isKnownOwn ?? isAsked;
    this.#add(server, owner, { atMs: this.#options.nowMs(), untilMs: GONE, isOwn, isMade: false });
  }

  #add(server: string, owner: string, status: HoldStatus): void {
    const { hold, attempt } = this.#valueOf(owner);
    const lines = this.#timelines.get(hold);
    const line = lines?.get(server);
    const said = { attempt, status };
    if (line !== undefined) line.push(said);
    else if (lines !== undefined) lines.set(server, [said]);
    else this.#timelines.set(hold, new Map([[server, [said]]]));
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

/** What is said by the latest value that was there until then, from the one of the `granted` attempt on. */
function since(granted: number, line: readonly ValueStatus[]): readonly HoldStatus[] {
  let latest = granted;
  const standings: HoldStatus[] = [];
  for (const { attempt, status } of line) {
    if (attempt < latest) continue;
    latest = attempt;
    standings.push(status);
  }
  return standings;
}
