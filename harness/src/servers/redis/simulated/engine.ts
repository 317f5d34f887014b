import { allToBytes, decodeReply, toText } from './bytes.ts';
import { type CommandContext, fits, type RedisCommand, type ScriptCache } from './command.ts';
import { commandNamed } from './commands/index.ts';
import { type EngineSnapshot, Keyspace, type PreviousValue } from './keyspace.ts';
import { type EngineReply, type InnerReply, READ_ONLY, RedisError } from './reply.ts';
import { Scripts } from './scripts.ts';

export interface EngineOptions {
  /** The node's wall clock, in µs since the epoch. Read once per command, so that it is constant during one. */
  readonly nowUs: () => number;
  /** 40 hex digits; a restarted server has another one. */
  readonly runId: string;
  /** True for a node of a cluster; its owner checks the slots. */
  readonly isCluster?: boolean;
  /** Returns the number of receivers. */
  readonly publish: (channel: string, message: string, sharded: boolean) => number;
  /**
   * Called once for every applied write, in the form that replicas and the log receive: deterministic, with absolute
   * expiry times, in bytes (see {@link RedisEngine.apply}). The writes of a script are reported one by one.
   */
  readonly wrote?: (effect: readonly string[]) => void;
  /** Called for every publication, in the form that replicas receive. */
  readonly published?: (effect: readonly string[]) => void;
}

/**
 * Executes the commands of one Redis server. It is synchronous and knows no network: its owner decides when commands
 * arrive.
 */
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

  /** Returns Redis's own errors instead of throwing them. @throws SimLimitError if a script does not end */
  execute(args: readonly string[]): EngineReply {
    this.#begin(this.role);
    try {
      return decodeReply(dispatch(allToBytes(args), this.#server));
    } catch (error) {
      if (error instanceof RedisError) return { error: toText(error.message) };
      throw error;
    }
  }

  /**
   * Applies an effect that {@link EngineOptions.wrote} reported of another engine, whatever this engine's role and
   * clock. Both engines then hold equal data. A publication reaches this engine's own subscribers only.
   * @throws RedisError if the effect does not fit the data here
   */
  apply(effect: readonly string[]): void {
    this.#begin('stream');
    dispatch(effect, this.#server);
  }

  /** True if the key exists now; one that has expired is deleted, as at any access. */
  exists(key: string): boolean {
    this.#begin(this.role);
    return this.#keys.has(allToBytes([key])[0] ?? '');
  }

  snapshot(): EngineSnapshot {
    return this.#keys.snapshot();
  }

  /** Replaces all data. Scripts are not part of a snapshot: the engine keeps those that it has seen. */
  restore(snapshot: EngineSnapshot): void {
    this.#keys.restore(snapshot);
  }

  /** The expiry of each key, on the server's own wall clock: the key is gone from that microsecond on. */
  *expiries(): Generator<{ key: string; atUs: number }> {
    for (const { key, expiresAtMs } of this.#keys.withExpiry())
      yield { key: toText(key), atUs: (expiresAtMs + 1) * 1000 };
  }

  /** The keys that exist now; reading them deletes nothing. */
  keysNow(): readonly string[] {
    this.#begin(this.role);
    return Array.from(this.#keys.keys(), toText);
  }

  /** A copy of the strings that exist now, by the bytes of their keys; reading them deletes nothing. */
  stringsNow(): ReadonlyMap<string, PreviousValue> {
    this.#begin(this.role);
    return this.#keys.strings();
  }

  /** One of {@link stringsNow}, at the time of this engine's latest command. */
  stringNow(key: string): PreviousValue | undefined {
    return this.#keys.stringNow(key);
  }

  #begin(access: Keyspace['access']): void {
    this.#keys.access = access;
    this.#server.begin(this.#options.nowUs(), this.role);
  }
}

function dispatch(args: readonly string[], server: EngineServer): InnerReply {
  const command = commandNamed(args[0] ?? '');
  if (command === undefined) throw new RedisError(unknownCommand(args));
  if (!fits(command, args))
    throw new RedisError(`ERR wrong number of arguments for '${command.name}' command`);
  if (isRefused(command, server)) throw new RedisError(READ_ONLY);
  return command.run(args, server);
}

function isRefused(command: RedisCommand, { keys }: CommandContext): boolean {
  return command.access === 'write' && keys.access === 'replica';
}

function unknownCommand(args: readonly string[]): string {
  const [name = '', ...rest] = args;
  const shown = rest.map((arg) => `'${arg.slice(0, 128)}' `).join('');
  return `ERR unknown command '${name.slice(0, 128)}', with args beginning with: ${shown}`;
}

/** The server as its commands see it. */
class EngineServer implements CommandContext {
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

  get isCluster(): boolean {
    return this.#options.isCluster ?? false;
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
    if (this.keys.access !== 'stream')
      this.#options.published?.([sharded ? 'SPUBLISH' : 'PUBLISH', channel, message]);
    return this.#options.publish(toText(channel), toText(message), sharded);
  }

  runScript(sha1: string, keys: string[], args: string[], readOnly: boolean): InnerReply {
    return this.#scripts.run(sha1, { keys, args, readOnly, server: this });
  }
}
