import type { Runtime } from '@holdfast/core';
import { AcknowledgedCalls } from './acknowledged-calls.ts';
import type { MemberNode, RoutedCall } from './cluster/routing.ts';
import { CommandConnection } from './command-connection.ts';
import type { Dialer } from './link.ts';
import type { Reply, Script, Subscription } from './port.ts';
import { ScriptCall } from './script.ts';
import { type WakeUpListener, WakeUps } from './wake-ups.ts';

/** Options of `Node`. */
export interface NodeOptions {
  /** The clocks and timers of the node. */
  readonly runtime: Runtime;
  /** Makes its connections. `close` closes it too. */
  readonly dialer: Dialer;
  /** The limit of one attempt to connect, log-in included, and of one to subscribe, in ms. */
  readonly connectMs: number;
  /** The time without a reply, up to twice as long, after which the connection is dropped, in ms. */
  readonly silenceMs: number;
  /**
   * False: no subscription is proven while somebody waits on it. So the simulator shows what a lost notification does to a
   * waiter that only its own timer can wake. Default true.
   */
  readonly provesWaits?: boolean | undefined;
  /** Called with the reply to HELLO on each connection for commands; returns why this server must not be used. */
  readonly unfit?: ((hello: Reply) => Error | undefined) | undefined;
}

/**
 * A node behind a client library: one connection for commands, one for wake-ups once there is a listener, and one for
 * calls that replicas must acknowledge once there is such a call.
 * @example
 * ```ts
 * const dialer = dialTo('redis1:6379');
 * const { runtime } = host;
 * const node = new Node({ runtime, dialer, connectMs: 2_000, silenceMs: 2_000 });
 * log(await node.command(['PING'], { deadlineMs }));
 * ```
 */
export class Node implements MemberNode {
  readonly address: string;
  readonly #commands: CommandConnection;
  readonly #wakeUps: WakeUps;
  readonly #options: NodeOptions;
  #acknowledged: AcknowledgedCalls | undefined;

  constructor(options: NodeOptions) {
    const { runtime, dialer, connectMs, silenceMs, unfit } = options;
    this.#options = options;
    this.address = dialer.address;
    this.#wakeUps = new WakeUps(options);
    // A half-open connection stays silent, and a subscriber cannot distinguish that from having no message.
    const silent = (cause: Error): void => this.#wakeUps.drop(cause);
    this.#commands = new CommandConnection({
      runtime,
      dialer,
      connectMs,
      silenceMs,
      silent,
      unfit,
    });
  }

  get connections(): number {
    return this.#commands.connections;
  }

  command(args: readonly string[], options: RoutedCall): Promise<Reply> {
    const calls = this.#callsFor(options);
    return new Promise((resolve, reject) => calls.call(args, options, { resolve, reject }));
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: RoutedCall,
  ): Promise<Reply> {
    return new ScriptCall(this.#callsFor(options), script, keys, args, options).run();
  }

  subscribe(channel: string, listener: WakeUpListener, isSharded = false): Promise<Subscription> {
    return this.#wakeUps.subscribe(channel, listener, isSharded);
  }

  async close(): Promise<void> {
    this.#wakeUps.close();
    await Promise.all([this.#commands.close(), this.#acknowledged?.close()]);
    this.#options.dialer.close?.();
  }

  #callsFor({ acknowledged }: RoutedCall): CommandConnection | AcknowledgedCalls {
    if (acknowledged === undefined) return this.#commands;
    this.#acknowledged ??= new AcknowledgedCalls(this.#options);
    return this.#acknowledged;
  }
}
