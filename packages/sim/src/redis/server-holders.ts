import type { ServerHold } from '../schedule/holds.ts';
import { toText } from './bytes.ts';
import type { HolderLog } from './holder-log.ts';

interface Open {
  readonly client: string;
  readonly fromMs: number;
}

const SETS = new Set(['SET', 'HSET', 'HMSET']);

/** Whom one server takes for the holder of each key. */
export class ServerHolders {
  readonly #server: string;
  readonly #log: HolderLog;
  readonly #open = new Map<string, Open>();
  readonly #ended: (ServerHold & { readonly key: string })[] = [];
  /** When the server went down with what it had. */
  #downMs: number | undefined;

  constructor(server: string, log: HolderLog) {
    this.#server = server;
    this.#log = log;
  }

  /** The holder of every key that it has; none where it is down. */
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
    return [...ended, { server: this.#server, ...open, untilMs, end }];
  }

  /** A write was applied, by a client's request or as it came from the master. */
  wrote([command = '', ...args]: readonly string[]): void {
    const [key = '', value = ''] = args.map(toText);
    const isSet = SETS.has(command);
    this.#log.wrote(this.#server, isSet ? { key, value } : undefined);
    if (command === 'DEL') for (const each of args) this.#deleted(toText(each));
    else if (command === 'HDEL') this.#deleted(key);
    else if (isSet) this.#set(key);
  }

  expired(key: string): void {
    this.#end(key, this.#log.nowMs, 'expired');
  }

  died(): void {
    this.#downMs = this.#log.nowMs;
  }

  /**
   * It came back with these keys, or took them over from its master.
   * @param known the holders that its master knew; absent where the data is its own
   */
  loaded(keys: ReadonlySet<string>, known: ReadonlyMap<string, string> | undefined): void {
    for (const key of new Set([...this.#open.keys(), ...keys])) {
      const before = this.#open.get(key)?.client;
      const client = known === undefined ? before : known.get(key);
      if (!keys.has(key) || client !== before)
        this.#end(key, this.#downMs ?? this.#log.nowMs, 'data lost');
      if (keys.has(key) && client !== undefined) this.#begin(key, client);
    }
    this.#downMs = undefined;
  }

  #set(key: string): void {
    const by = this.#log.clientBehind();
    if (by === undefined || by === this.#open.get(key)?.client) return;
    this.#end(key, this.#log.nowMs, 'taken', by);
    this.#begin(key, by);
  }

  #deleted(key: string): void {
    const by = this.#log.clientBehind();
    const isOwn = by === undefined || by === this.#open.get(key)?.client;
    this.#end(key, this.#log.nowMs, isOwn ? 'released' : 'removed', by);
  }

  #begin(key: string, client: string): void {
    if (!this.#open.has(key)) this.#open.set(key, { client, fromMs: this.#log.nowMs });
  }

  #end(key: string, untilMs: number, end: ServerHold['end'], by?: string): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    this.#ended.push({ server: this.#server, key, ...open, untilMs, end, by });
  }
}
