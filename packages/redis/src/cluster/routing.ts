import type {
  CallOptions,
  NodeReplyError,
  RedisNode,
  Script,
  Subscription,
  Undo,
} from '../port.ts';
import type { WakeUpListener } from '../wake-ups.ts';

/** More options of a call to one node of a cluster. */
export interface RoutedCall extends CallOptions {
  /** True: ASKING leaves right before it, on the same connection. */
  readonly asking?: boolean;
  /** As in `CallOptions`, and what to do if its slot has moved. */
  readonly undo?: RoutedUndo;
}

/** An undo that can follow its slot. */
export interface RoutedUndo extends Undo {
  /** True: ASKING leaves right before it, on the same connection. */
  readonly asking?: boolean;
  /**
   * Called if the server refused the undo. Returns the promise of its outcome elsewhere, or undefined if it ends here.
   */
  refused?(error: NodeReplyError): Promise<boolean> | undefined;
}

/** One node of a cluster. */
export interface MemberNode extends RedisNode {
  /** As `RedisNode.command`, after ASKING if the call wants that. */
  command(args: readonly string[], options: RoutedCall): ReturnType<RedisNode['command']>;
  /** As `RedisNode.script`, after ASKING if the call wants that. */
  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: RoutedCall,
  ): ReturnType<RedisNode['script']>;
  /** As `RedisNode.subscribe`; with `isSharded`, to a shard channel, whose messages only the owner of its slot publishes. */
  subscribe(channel: string, listener: WakeUpListener, isSharded?: boolean): Promise<Subscription>;
}

/** Commands without a key; every node of a cluster can reply. */
const KEYLESS: ReadonlySet<string> = new Set(
  'ACL CLIENT CLUSTER COMMAND CONFIG DBSIZE HELLO INFO PING PUBLISH ROLE SCAN SCRIPT TIME WAIT'.split(
    ' ',
  ),
);

/** Returns the first key of a command, which decides the slot; undefined if it has none. */
export function keyOfCommand([name = '', ...operands]: readonly string[]): string | undefined {
  const command = name.toUpperCase();
  if (command === 'EVAL' || command === 'EVALSHA')
    return Number(operands[1]) > 0 ? operands[2] : undefined;
  return KEYLESS.has(command) ? undefined : operands[0];
}

const FORMS = new WeakMap<Script, Script>();

/** A script as a cluster runs it, with the operands in the order that it expects. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Returns the form that a script has on a cluster; see {@link Script.onCluster}. */
export function onCluster({ script, keys, args }: ScriptCall): ScriptCall {
  const { name, onCluster: other } = script;
  if (other === undefined) return { script, keys, args };
  let form = FORMS.get(script);
  if (form === undefined) {
    form = { name, source: other.source };
    FORMS.set(script, form);
  }
  const declared = other.keys ?? keys.length;
  return {
    script: form,
    keys: keys.slice(0, declared),
    args: [...keys.slice(declared), ...args],
  };
}

/** Returns the arguments of an undo as a cluster runs it. */
export function undoArgs({ args, script }: Undo): readonly string[] {
  if (script?.onCluster === undefined) return args;
  const first = 3 + Number(args[2]);
  const call = onCluster({ script, keys: args.slice(3, first), args: args.slice(first) });
  return ['EVAL', call.script.source, `${call.keys.length}`, ...call.keys, ...call.args];
}
