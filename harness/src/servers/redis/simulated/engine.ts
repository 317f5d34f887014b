import { allToBytes, replyText, toText } from './bytes.ts';
import { type Command, fits, type ScriptCache, type Server } from './command.ts';
import { findCommand } from './commands/index.ts';
import { type EngineSnapshot, Keyspace, type PreviousValue } from './keyspace.ts';
import { type EngineReply, type InnerReply, READ_ONLY, RedisError } from './reply.ts';
import { Scripts } from './scripts.ts';

export interface EngineOptions {
  /** The node's wall clock, in µs since the epoch. Read once for every command, so that it stands still during one. */
  readonly nowUs: () => number;
  /** 40 hex digits; a restarted server has another one. */
  readonly runId: string;
  /** Returns the number of receivers. */
  readonly publish: (channel: string, message: string, sharded: boolean) => number;
  /**
   * Called once for every applied write, as it would be propagated to replicas and to the log: deterministic, with
   * absolute expiry times, in bytes (see {@link RedisEngine.apply}). A script's writes come one by one.
   */
  readonly wrote?: (effect: readonly string[]) => void;
  /** Called for every publication, as it would be propagated to replicas alone. */
  readonly published?: (effect: readonly string[]) => void;
}

/** What one Redis server does with commands. Synchronous, and knows no network: whoever owns it decides when they arrive. */
export class RedisEngine {
  role: 'master' | 'replica' = 'master';
  readonly #options: EngineOptions;
  readonly #keys: Keyspace;
  readonly #server: EngineServer;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#keys = new Keyspace(options.wrote);
    this.#server = new EngineServer(options, this.#keys, new Scripts());
  }

  /** Whatever Redis answers as an error is returned, not thrown. @throws SimLimitError when a script runs for ever */
  execute(args: readonly string[]): EngineReply {
    this.#begin(this.role);
    try {
      return replyText(dispatch(allToBytes(args), this.#server));
    } catch (error) {
      if (error instanceof RedisError) return { error: toText(error.message) };
      throw error;
    }
  }

  /**
   * Applies what {@link EngineOptions.wrote} told of another engine, whatever this one's role and clock; both then
   * hold the same. Announces publications to whoever listens here, and nothing to others.
   * @throws RedisError when the effect does not fit what is here
   */
  apply(effect: readonly string[]): void {
    this.#begin('stream');
    dispatch(effect, this.#server);
  }

  snapshot(): EngineSnapshot {
    return this.#keys.snapshot();
  }

  /** Replaces all data. Scripts are no part of a snapshot: what this engine has seen, it still knows. */
  restore(snapshot: EngineSnapshot): void {
    this.#keys.restore(snapshot);
  }

  /** When keys end, on the server's own wall clock: from that microsecond on they are gone. */
  *expiries(): Generator<{ key: string; atUs: number }> {
    for (const { key, expiresAtMs } of this.#keys.withExpiry())
      yield { key: toText(key), atUs: (expiresAtMs + 1) * 1000 };
  }

  /** The keys that are there now, whoever asks: nothing is deleted by looking. */
  keysNow(): readonly string[] {
    this.#begin(this.role);
    return Array.from(this.#keys.keys(), toText);
  }

  /** The strings that are there now, by the bytes of their keys: a copy, and nothing is deleted by looking. */
  stringsNow(): ReadonlyMap<string, PreviousValue> {
    this.#begin(this.role);
    return this.#keys.strings();
  }

  /** One of {@link stringsNow}, at the time at which this engine was last asked for anything. */
  stringNow(key: string): PreviousValue | undefined {
    return this.#keys.stringNow(key);
  }

  #begin(status: Keyspace['standing']): void {
    this.#keys.standing = status;
    this.#server.begin(this.#options.nowUs(), this.role);
  }
}

function dispatch(args: readonly string[], server: EngineServer): InnerReply {
  const command = findCommand(args[0] ?? '');
  if (command === undefined) throw new RedisError(unknownCommand(args));
  if (!fits(command, args))
    throw new RedisError(`ERR wrong number of arguments for '${command.name}' command`);
  if (isRefused(command, server)) throw new RedisError(READ_ONLY);
  return command.run(args, server);
}

function isRefused(command: Command, { keys }: Server): boolean {
  return command.access === 'write' && keys.standing === 'replica';
}

function unknownCommand(args: readonly string[]): string {
  const [name = '', ...rest] = args;
  const shown = rest.map((arg) => `'${arg.slice(0, 128)}' `).join('');
  return `ERR unknown command '${name.slice(0, 128)}', with args beginning with: ${shown}`;
}

/** The server as its commands see it. */
class EngineServer implements Server {
  readonly keys: Keyspace;
  readonly scripts: ScriptCache;
  readonly #options: EngineOptions;
  readonly #scripts: Scripts;
  nowUs = 0;
  role: 'master' | 'replica' = 'master';

  constructor(options: EngineOptions, keys: Keyspace, scripts: Scripts) {
    this.keys = keys;
    this.scripts = scripts;
    this.#options = options;
    this.#scripts = scripts;
  }

  get runId(): string {
    return this.#options.runId;
  }

  begin(nowUs: number, role: 'master' | 'replica'): void {
    this.nowUs = Math.floor(nowUs);
    this.keys.nowMs = Math.floor(nowUs / 1000);
    this.role = role;
  }

  publish(channel: string, message: string, sharded: boolean): number {
    if (this.keys.standing !== 'stream')
      this.#options.published?.([sharded ? 'SPUBLISH' : 'PUBLISH', channel, message]);
    return this.#options.publish(toText(channel), toText(message), sharded);
  }

  runScript(sha1: string, keys: string[], args: string[], readOnly: boolean): InnerReply {
    return this.#scripts.run(sha1, { keys, args, readOnly, server: this });
  }
}
