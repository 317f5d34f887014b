import type { Keyspace } from './keyspace.ts';
import type { InnerReply } from './reply.ts';

/** The parts of a server that a command may use. */
export interface CommandContext {
  readonly keys: Keyspace;
  /** Wall clock in µs; constant while a command or script runs. */
  readonly nowUs: number;
  readonly runId: string;
  readonly isCluster: boolean;
  readonly role: 'master' | 'replica';
  /** Compiled scripts, by their SHA-1 as lower-case hex. */
  readonly scripts: ScriptCache;
  publish(channel: string, message: string, sharded: boolean): number;
  /** Takes ownership of `keys` and `args`. */
  runScript(sha1: string, keys: string[], args: string[], readOnly: boolean): InnerReply;
}

export interface ScriptCache {
  /** Returns its SHA-1. @throws RedisError if it does not compile */
  load(source: string): string;
  has(sha1: string): boolean;
  clear(): void;
}

/** `args[0]` is the command's name, as the client wrote it. */
export type CommandHandler = (args: readonly string[], server: CommandContext) => InnerReply;

export interface RedisCommand {
  readonly name: string;
  /** Number of arguments, the name included; if negative, the minimum. */
  readonly arity: number;
  readonly access: CommandAccess;
  readonly run: CommandHandler;
}

/** `outside` commands are refused inside scripts. */
export type CommandAccess = 'read' | 'write' | 'outside';

export type Commands = Readonly<
  Record<string, readonly [arity: number, access: CommandAccess, run: CommandHandler]>
>;

export function fits(command: RedisCommand, args: readonly string[]): boolean {
  const { arity } = command;
  return arity >= 0 ? args.length === arity : args.length >= -arity;
}
