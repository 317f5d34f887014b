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
  /** What is sent for one very hold, and must leave all others alone. */
  readonly labels: readonly string[];
  readonly nowMs: () => number;
}

/** In a script's arguments, before its keys: EVAL, the script, how many keys. */
const SCRIPT_ARGS = 3;

/**
 * Watches from within the servers that what a client sends for one hold reaches that hold alone. No history shows it: who
 * prolongs the hold of another breaks nothing that two could be seen to hold at once. Changes nothing.
 */
export class KeyChangeWatch {
  readonly all: KeyChange[] = [];
  readonly #labels: ReadonlySet<string>;
  readonly #nowMs: () => number;
  /** By key and value: who wrote it last, on any server, so that copies of it and restarts change nothing. */
  readonly #writers = new Map<string, string>();

  constructor({ labels, nowMs }: KeyChangeWatchOptions) {
    this.#labels = new Set(labels);
    this.#nowMs = nowMs;
  }

  /** Has a server execute a command. */
  around(execution: Execution, engine: RedisEngine): EngineReply {
    if (!this.#labels.has(execution.label)) return engine.execute(execution.args);
    const before = engine.stringsNow();
    const reply = engine.execute(execution.args);
    if (before.size > 0) this.#compare(execution, before, engine);
    return reply;
  }

  /** A command of this client wrote, as its server tells replicas. */
  wrote(client: string, [command, key = '', value = '']: readonly string[]): void {
    if (command === 'SET') this.#writers.set(idOf(key, value), client);
  }

  #compare(
    { node, client, label, args }: Execution,
    before: ReadonlyMap<string, PreviousValue>,
    engine: RedisEngine,
  ): void {
    const meant = meantBy(allToBytes(args));
    for (const [key, stood] of before) {
      const how = changeOf(stood, engine.stringNow(key));
      if (how === undefined || this.#isOwn(client, key, stood, meant)) continue;
      const of = this.#writers.get(idOf(key, stood.value)) ?? 'somebody else';
      this.all.push({ atMs: this.#nowMs(), client, label, node, key: toText(key), how, of });
    }
  }

  /** Whoever says which value it means, means that one alone; whoever does not, only what it wrote itself. */
  #isOwn(client: string, key: string, { value }: PreviousValue, meant: readonly string[]): boolean {
    if (meant.length > 0 && !meant.includes(value)) return false;
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

/** What a script is given besides its keys; a plain command says nothing but the key. */
function meantBy(args: readonly string[]): readonly string[] {
  const [command = '', , keys = '0'] = args;
  return /^EVAL/i.test(command) ? args.slice(SCRIPT_ARGS + Number(keys)) : [];
}

function idOf(key: string, value: string): string {
  return `${key}\0${value}`;
}
