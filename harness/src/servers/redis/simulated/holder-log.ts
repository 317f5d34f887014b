import type { Kernel } from '../../../sim/kernel.ts';
import type { LockKey, ServerHold } from '../../../sim/schedule/holds.ts';
import { toText } from './bytes.ts';
import type { EngineSnapshot } from './keyspace.ts';

interface Write {
  readonly key: string;
  readonly value: string;
}

/**
 * Records the holder of every key on every server: the client whose request led to the write. It therefore works for
 * every lock, whatever its values look like. It works only with traces, in which it finds that client.
 */
export class HolderLog {
  readonly #kernel: Kernel;
  readonly #servers = new Map<string, ServerHolders>();
  /** Servers that ever wrote anything, in order of their first write. */
  readonly #writing = new Set<string>();
  readonly #writes: Write[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  get nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }

  /** Creates the part of one server. */
  of(server: string): ServerHolders {
    const holders = new ServerHolders(server, this);
    this.#servers.set(server, holders);
    return holders;
  }

  wrote(server: string, write?: Write): void {
    this.#writing.add(server);
    if (write !== undefined) this.#writes.push(write);
  }

  /** The holders of the lock on each server. */
  holdersOf(lock: LockKey): readonly ServerHold[] {
    const key = this.#stored(lock);
    if (key === undefined) return [];
    return Array.from(this.#writing).flatMap((name) => this.#servers.get(name)?.on(key) ?? []);
  }

  /** Returns the client whose request led to the current event. */
  clientBehind(): string | undefined {
    const { cause, trace } = this.#kernel;
    for (
      let record = trace.records[cause];
      record !== undefined;
      record = trace.records[record.cause]
    )
      if (record.kind === 'send' && !this.#servers.has(record.process)) return record.process;
    return undefined;
  }

  /** Returns the key of the lock: a key that contains its name and stores no fencing tokens. */
  #stored({ key: named, tokens }: LockKey): string | undefined {
    const keys = this.#writes.flatMap(({ key, value }) => (tokens.has(value) ? [] : [key]));
    return keys.find((key) => key.split(/[^\w/.-]+/).includes(named)) ?? keys[0];
  }
}

interface OpenHold {
  readonly client: string;
  /** The stored value; undefined if it is no text. */
  readonly value: string | undefined;
  readonly fromMs: number;
}

const SETS = new Set(['SET', 'HSET', 'HMSET']);

/** The holder of each key on one server. */
export class ServerHolders {
  readonly #server: string;
  readonly #log: HolderLog;
  readonly #open = new Map<string, OpenHold>();
  /** By key and value. */
  readonly #writers = new Map<string, string>();
  readonly #ended: (ServerHold & { readonly key: string })[] = [];
  /** Time at which the server went down with its data. */
  #downMs: number | undefined;

  constructor(server: string, log: HolderLog) {
    this.#server = server;
    this.#log = log;
  }

  /** The holder of each key; empty if the server is down. */
  get now(): ReadonlyMap<string, string> {
    if (this.#downMs !== undefined) return new Map();
    return new Map(Array.from(this.#open, ([key, { client }]) => [key, client]));
  }

  on(key: string): readonly ServerHold[] {
    const open = this.#open.get(key);
    const ended = this.#ended.filter((hold) => hold.key === key);
    if (open === undefined) return ended;
    const [untilMs, end] =
      this.#downMs === undefined
        ? ([Number.POSITIVE_INFINITY, undefined] as const)
        : ([this.#downMs, 'data lost'] as const);
    const { client, fromMs } = open;
    return [...ended, { server: this.#server, client, fromMs, untilMs, end }];
  }

  /** A write was applied, from a client's request or from the master. */
  wrote([command = '', ...args]: readonly string[]): void {
    const [key = '', value = ''] = args.map(toText);
    const isSet = SETS.has(command);
    this.#log.wrote(this.#server, isSet ? { key, value } : undefined);
    if (command === 'DEL') for (const each of args) this.#deleted(toText(each));
    else if (command === 'HDEL') this.#deleted(key);
    else if (isSet) this.#set(key, command === 'SET' ? value : undefined);
  }

  expired(key: string): void {
    this.#end(key, this.#log.nowMs, 'expired');
  }

  died(): void {
    this.#downMs = this.#log.nowMs;
  }

  /**
   * The server restarted with this data, or took it over from its master.
   * @param known the holders on its master; absent if the data is its own
   */
  loaded({ entries }: EngineSnapshot, known: ReadonlyMap<string, string> | undefined): void {
    const stored = new Map(entries.map(([key, value]) => [toText(key), textOf(value)]));
    for (const key of new Set([...this.#open.keys(), ...stored.keys()])) {
      const before = this.#open.get(key)?.client;
      const value = stored.get(key);
      const client = known === undefined ? this.#writerOf(key, value) : known.get(key);
      if (!stored.has(key) || client !== before)
        this.#end(key, this.#downMs ?? this.#log.nowMs, 'data lost');
      if (stored.has(key) && client !== undefined) this.#hold(key, client, value);
    }
    this.#downMs = undefined;
  }

  /** A log that lost its tail brings an older value back. */
  #writerOf(key: string, value: string | undefined): string | undefined {
    const open = this.#open.get(key);
    return open?.value === value ? open?.client : this.#writers.get(`${key} ${value}`);
  }

  #set(key: string, value: string | undefined): void {
    const by = this.#log.clientBehind();
    if (by === undefined) return;
    this.#writers.set(`${key} ${value}`, by);
    if (by !== this.#open.get(key)?.client) this.#end(key, this.#log.nowMs, 'taken', by);
    this.#hold(key, by, value);
  }

  #deleted(key: string): void {
    const by = this.#log.clientBehind();
    const isOwn = by === undefined || by === this.#open.get(key)?.client;
    this.#end(key, this.#log.nowMs, isOwn ? 'released' : 'removed', by);
  }

  #hold(key: string, client: string, value: string | undefined): void {
    const { fromMs = this.#log.nowMs } = this.#open.get(key) ?? {};
    this.#open.set(key, { client, value, fromMs });
  }

  #end(key: string, untilMs: number, end: ServerHold['end'], by?: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    const { client, fromMs } = open;
    this.#open.delete(key);
    this.#ended.push({ server: this.#server, key, client, fromMs, untilMs, end, by });
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? toText(value) : undefined;
}
