import type { KeyChange } from '../../../sim/schedule/cluster.ts';
import { allToBytes, toText } from './bytes.ts';
import type { RedisEngine } from './engine.ts';
import type { PreviousValue } from './keyspace.ts';
import type { EngineReply } from './reply.ts';

/** One command, as a server executes it. */
export interface Execution {
  readonly node: string;
  readonly client: string;
  readonly label: string;
  readonly args: readonly string[];
}

export interface KeyChangeWatchOptions {
  /** Commands with these labels are sent for one hold only, and must leave all others unchanged. */
  readonly labels: readonly string[];
  readonly nowMs: () => number;
  /** Called after every command. */
  readonly executed?: ((execution: Execution, engine: RedisEngine) => void) | undefined;
}

/** Arguments of a script before its keys: EVAL, the script, the number of keys. */
const SCRIPT_ARGS = 3;

/**
 * Watches inside the servers that a command for one hold changes that hold only. Histories do not show it: a client
 * that prolongs another client's hold does not cause two visible holders. It changes nothing.
 */
export class KeyChangeWatch {
  readonly all: KeyChange[] = [];
  readonly #labels: ReadonlySet<string>;
  readonly #nowMs: () => number;
  /** The last writer by key and value, on any server, so that copies and restarts change nothing. */
  readonly #writers = new Map<string, string>();

  readonly #executed: KeyChangeWatchOptions['executed'];

  constructor({ labels, nowMs, executed }: KeyChangeWatchOptions) {
    this.#executed = executed;
    this.#labels = new Set(labels);
    this.#nowMs = nowMs;
  }

  execute(execution: Execution, engine: RedisEngine): EngineReply {
    const reply = this.#execute(execution, engine);
    this.#executed?.(execution, engine);
    return reply;
  }

  /** Executes a command and compares the strings before and after it. */
  #execute(execution: Execution, engine: RedisEngine): EngineReply {
    if (!this.#labels.has(execution.label)) return engine.execute(execution.args);
    const before = engine.stringsNow();
    const reply = engine.execute(execution.args);
    if (before.size > 0) this.#compare(execution, before, engine);
    return reply;
  }

  /** Records a write by a command of this client, in the form that replicas receive. */
  wrote(client: string, [command, key = '', value = '']: readonly string[]): void {
    if (command === 'SET') this.#writers.set(idOf(key, value), client);
  }

  #compare(
    { node, client, label, args }: Execution,
    before: ReadonlyMap<string, PreviousValue>,
    engine: RedisEngine,
  ): void {
    for (const [key, previous] of before) {
      const how = changeOf(previous, engine.stringNow(key));
      if (how === undefined || this.#isOwn(client, key, previous, args)) continue;
      const of = this.#writers.get(idOf(key, previous.value)) ?? 'another client';
      this.all.push({ atMs: this.#nowMs(), client, label, node, key: toText(key), how, of });
    }
  }

  /** A command that names values means exactly those; a command that names none means only what its client wrote. */
  #isOwn(client: string, key: string, { value }: PreviousValue, args: readonly string[]): boolean {
    const named = valuesNamedBy(allToBytes(args));
    if (named.length > 0 && !named.includes(value)) return false;
    return this.#writers.get(idOf(key, value)) === client;
  }
}

function changeOf(
  before: PreviousValue,
  after: PreviousValue | undefined,
): KeyChange['how'] | undefined {
  if (after === undefined) return 'deleted';
  if (after.value !== before.value) return 'overwritten';
  if (after.expiresAtMs === before.expiresAtMs) return undefined;
  return after.expiresAtMs > before.expiresAtMs ? 'prolonged' : 'shortened';
}

/** The arguments of a script besides its keys; a plain command names only the key. */
function valuesNamedBy(args: readonly string[]): readonly string[] {
  const [command = '', , keys = '0'] = args;
  return /^EVAL/i.test(command) ? args.slice(SCRIPT_ARGS + Number(keys)) : [];
}

function idOf(key: string, value: string): string {
  return `${key}\0${value}`;
}
