import type { ServerHold } from '@holdfast/check';
import type { HistoryEvent } from '@holdfast/core';
import type { TraceRecord } from '@holdfast/sim';
import type { Names } from './names.ts';

interface Open {
  readonly owner: string;
  readonly fromMs: number;
}

const SETS = new Set(['SET', 'HSET', 'HMSET', 'PSETEX', 'SETEX']);
const DELETES = new Set(['DEL', 'UNLINK', 'HDEL']);

/**
 * Whom every server took for the holder, from the writes in its trace: the owner is the client whose request had the
 * key written, so it works for every lock, whatever its values look like.
 */
export function serverHolds(
  trace: readonly TraceRecord[],
  history: readonly HistoryEvent[],
  names: Names,
): readonly ServerHold[] {
  const servers = new Set(
    trace.filter(({ kind }) => kind === 'wrote').map(({ process }) => process),
  );
  const lockKey = lockKeyOf(trace, history);
  if (lockKey === undefined) return [];
  const key = history[0]?.key ?? lockKey;
  return Array.from(servers).flatMap((server) =>
    new Ledger(trace, names)
      .read(server, lockKey)
      .map((hold) => ({ ...hold, node: names(server), key })),
  );
}

/** The key that stands for the lock: one that names it, and does not hold fencing tokens. */
function lockKeyOf(
  trace: readonly TraceRecord[],
  history: readonly HistoryEvent[],
): string | undefined {
  const tokens = new Set(
    history.flatMap((event) =>
      event.type === 'granted' && event.token !== undefined ? [event.token] : [],
    ),
  );
  const written = trace.flatMap(({ kind, label = '', detail = '' }) => {
    if (kind !== 'wrote' || !SETS.has(label)) return [];
    const [key = '', value = ''] = detail.split(' ');
    return tokens.has(value) ? [] : [key];
  });
  const named = history[0]?.key ?? '';
  return written.find((key) => key.split(/[^\w/.-]+/).includes(named)) ?? written[0];
}

/** What one server's trace says of one key. */
class Ledger {
  readonly #trace: readonly TraceRecord[];
  readonly #names: Names;
  readonly #holds: Omit<ServerHold, 'node' | 'key'>[] = [];
  #open: Open | undefined;
  /** When the server went down with the key in it. */
  #downMs: number | undefined;

  constructor(trace: readonly TraceRecord[], names: Names) {
    this.#trace = trace;
    this.#names = names;
  }

  read(server: string, key: string): readonly Omit<ServerHold, 'node' | 'key'>[] {
    for (const record of this.#trace) if (record.process === server) this.#take(record, key);
    if (this.#open !== undefined)
      this.#end(
        this.#downMs ?? Number.POSITIVE_INFINITY,
        this.#downMs === undefined ? undefined : 'data lost',
      );
    return this.#holds;
  }

  #take(record: TraceRecord, key: string): void {
    const atMs = record.atUs / 1000;
    const [first, ...rest] = (record.detail ?? '').split(' ');
    switch (record.kind) {
      case 'wrote':
        if (first !== key && !(DELETES.has(record.label ?? '') && rest.includes(key))) return;
        return this.#wrote(record, atMs);
      case 'expire':
        if (record.label === key) this.#end(atMs, 'expired');
        return;
      case 'crash':
        this.#downMs = atMs;
        return;
      case 'loaded':
        this.#loaded(record, [first, ...rest].includes(key), key);
    }
  }

  /** It came back with what it had, or took over everything from its master: the holder that its master knew, too. */
  #loaded(record: TraceRecord, isThere: boolean, key: string): void {
    const atMs = record.atUs / 1000;
    const master = this.#masterBehind(record);
    const owner = master === undefined ? this.#open?.owner : master.ownerOf(key);
    if (!isThere || owner !== this.#open?.owner) this.#end(this.#downMs ?? atMs, 'data lost');
    if (isThere && owner !== undefined) this.#open ??= { owner, fromMs: atMs };
    this.#downMs = undefined;
  }

  /** What the master that it took its data from knew then; undefined where it came back with data of its own. */
  #masterBehind(
    record: TraceRecord,
  ): { readonly ownerOf: (key: string) => string | undefined } | undefined {
    const sent = this.#trace[this.#trace[record.cause]?.cause ?? -1];
    const isSynced = sent?.kind === 'send' && sent.label === 'sync';
    const master = isSynced ? sent.process : this.#healedBy(record);
    if (master === undefined) return undefined;
    const before = new Ledger(this.#trace.slice(0, isSynced ? sent.seq : record.seq), this.#names);
    return {
      ownerOf: (key) => before.read(master, key).find(({ end }) => end === undefined)?.owner,
    };
  }

  /** The old master of a split brain, once it is over, takes what the one has that was promoted. */
  #healedBy({ process, atUs, seq }: TraceRecord): string | undefined {
    const past = this.#trace.slice(0, seq);
    const heal = past.findLast(({ kind }) => kind === 'heal');
    if (heal?.process !== process || heal.atUs !== atUs || heal.label === undefined)
      return undefined;
    return past.findLast(({ kind, label }) => kind === 'failover' && label === heal.label)?.process;
  }

  #wrote(record: TraceRecord, atMs: number): void {
    const by = this.#clientBehind(record);
    if (DELETES.has(record.label ?? '')) {
      const isOwn = by === undefined || by === this.#open?.owner;
      this.#end(atMs, isOwn ? 'released' : 'removed', by);
    } else if (SETS.has(record.label ?? '') && by !== undefined && by !== this.#open?.owner) {
      this.#end(atMs, 'taken', by);
      this.#open = { owner: by, fromMs: atMs };
    }
  }

  #end(untilMs: number, end: ServerHold['end'], by?: string): void {
    if (this.#open === undefined) return;
    this.#holds.push({ ...this.#open, untilMs, end, by });
    this.#open = undefined;
  }

  /** The client whose request led to this. */
  #clientBehind({ cause }: TraceRecord): string | undefined {
    for (
      let record = this.#trace[cause];
      record !== undefined;
      record = this.#trace[record.cause]
    ) {
      const name = this.#names(record.process);
      if (record.kind === 'send' && name !== record.process) return name;
    }
    return undefined;
  }
}
