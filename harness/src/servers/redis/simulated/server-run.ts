import type { AnchorMoment, Anchors } from '../../../sim/anchors.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { Connection } from '../../../sim/net/connection.ts';
import { describeReply } from './describe.ts';
import { RedisEngine } from './engine.ts';
import type { KeyChangeWatch } from './key-change-watch.ts';
import { ReplicaWaits } from './replica-waits.ts';
import type { EngineReply } from './reply.ts';
import type { SlotGuard } from './slots.ts';
import type { Storage } from './storage.ts';
import { Subscribers } from './subscribers.ts';

/** The parts of a machine that a run of its server uses. */
export interface RunContext {
  readonly name: string;
  readonly kernel: Kernel;
  readonly anchors: Anchors;
  readonly storage: Storage;
  readonly runId: string;
  readonly wallUs: () => number;
  readonly keyChanges?: KeyChangeWatch | undefined;
  readonly holds?: HoldLog | undefined;
  readonly slots?: SlotGuard | undefined;
}

/** One run of a server program, from start to end. */
export class ServerRun implements EventOwner {
  readonly engine: RedisEngine;
  readonly #context: RunContext;
  readonly #connections = new Set<Connection>();
  readonly #subscribers = new Subscribers();
  readonly #waits: ReplicaWaits;
  /** The client whose command is being executed. */
  #client: string | undefined;
  readyAtUs = 0;
  crashed = false;

  constructor(machine: RunContext) {
    this.#context = machine;
    const { kernel, storage } = machine;
    this.#waits = new ReplicaWaits({ kernel, storage, owner: this });
    storage.waits = this.#waits;
    this.engine = new RedisEngine({
      nowUs: machine.wallUs,
      runId: machine.runId,
      isCluster: machine.slots !== undefined,
      publish: (channel, message) => this.#subscribers.publish(channel, message, this.#departUs),
      wrote: (effect) => {
        if (this.#client !== undefined) machine.keyChanges?.wrote(this.#client, effect);
        machine.storage.wrote(effect);
      },
      published: (effect) => machine.storage.published(effect),
    });
  }

  get isConnected(): boolean {
    return this.#connections.size > 0;
  }

  connected(connection: Connection): void {
    this.#connections.add(connection);
  }

  disconnected(connection: Connection): void {
    this.#connections.delete(connection);
    this.#subscribers.left(connection);
    this.#waits.disconnected(connection);
  }

  abort(reason: string): void {
    for (const connection of Array.from(this.#connections)) connection.abort(reason);
  }

  /** Resets the connections that `which` selects. */
  reset(reason: string, which: (connection: Connection) => boolean): void {
    for (const connection of Array.from(this.#connections))
      if (which(connection)) connection.reset(reason);
  }

  /**
   * Executes a command and replies, once no `WAIT` blocks the connection, unless a fault anchored here prevents it.
   * `asking`: ASKING came right before it.
   */
  serve(
    connection: Connection,
    label: string,
    args: readonly string[],
    replied: (reply: EngineReply) => void,
    asking = false,
  ): void {
    const run = (): boolean => this.#serve(connection, label, args, replied, asking);
    if (!this.#waits.isBlocked(connection)) run();
    else this.#waits.defer(connection, run);
  }

  /** Returns false if the server is paused, or is dead. */
  #serve(
    connection: Connection,
    label: string,
    args: readonly string[],
    replied: (reply: EngineReply) => void,
    asking: boolean,
  ): boolean {
    const counts = this.#counts(args);
    if (counts && !this.#survives('before', label)) return false;
    const { kernel, name, storage } = this.#context;
    kernel.begin(name, 'exec', label);
    const reply =
      this.#redirect(args, asking) ?? this.#execute(connection.process.name, label, args);
    storage.traceExpiries();
    if (counts) this.#context.anchors.passed('after', label);
    if (label === 'WAIT' && reply === 0) this.#wait(connection, args, replied);
    else this.#reply(connection, label, reply, replied);
    this.#waits.ran(connection);
    return true;
  }

  /** The reply of a node of a cluster that does not serve these keys. */
  #redirect(args: readonly string[], asking: boolean): EngineReply | undefined {
    const exists = (key: string): boolean => this.engine.exists(key);
    return this.#context.slots?.replyTo(args, { asking, exists });
  }

  #wait(
    connection: Connection,
    [, replicas, timeoutMs]: readonly string[],
    replied: (reply: EngineReply) => void,
  ): void {
    this.#waits.wait(connection, Number(replicas), Number(timeoutMs), (count) =>
      this.#reply(connection, 'WAIT', count, replied),
    );
  }

  /**
   * Subscribes a connection; `heard` is then called in its process for every publication. A shard channel has `ended`, which
   * is called if its slot goes to another node.
   */
  subscribe(
    connection: Connection,
    channel: string,
    heard: (text: string) => void,
    replied: (reply: EngineReply) => void,
    ended?: () => void,
  ): void {
    if (!this.#survives('before', 'SUBSCRIBE')) return;
    this.#context.kernel.begin(this.#context.name, 'exec', 'SUBSCRIBE');
    const refusal = ended && this.#context.slots?.replyToChannel(channel);
    if (refusal !== undefined) return this.#reply(connection, 'SUBSCRIBE', refusal, replied);
    this.#subscribers.add(connection, channel, heard, ended);
    this.#context.anchors.passed('after', 'SUBSCRIBE');
    this.#reply(connection, 'SUBSCRIBE', 1, replied);
  }

  /** Ends the subscriptions of shard channels whose slots other nodes serve by now. */
  slotsMoved(): void {
    const { slots, kernel } = this.#context;
    this.#subscribers.end((channel) => slots?.hasLost(channel) ?? false, kernel.nowUs);
  }

  #execute(client: string, label: string, args: readonly string[]): EngineReply {
    const { keyChanges, holds, name: node } = this.#context;
    if (keyChanges === undefined) return this.engine.execute(args);
    this.#client = client;
    if (holds !== undefined) holds.request = { client, label };
    const reply = keyChanges.execute({ node, client, label, args }, this.engine);
    if (holds !== undefined) holds.request = undefined;
    this.#client = undefined;
    return reply;
  }

  /** Number of subscriptions of the matching connections. */
  subscriptions(matches: (connection: Connection) => boolean): number {
    return this.#subscribers.count(matches);
  }

  unsubscribe(connection: Connection, channel: string): void {
    this.#context.kernel.begin(this.#context.name, 'exec', 'UNSUBSCRIBE');
    this.#subscribers.remove(connection, channel);
  }

  /** A server that was stopped at an anchor replies when it resumes. */
  get #departUs(): number {
    return Math.max(this.#context.kernel.nowUs, this.readyAtUs);
  }

  #reply(
    connection: Connection,
    label: string,
    reply: EngineReply,
    replied: (reply: EngineReply) => void,
  ): void {
    const settle = (): void => replied(reply);
    connection.reply(label, this.#departUs, settle, () => describeReply(reply));
  }

  /** A call of a script that the server does not know yet is not executed, so it does not count. */
  #counts(args: readonly string[]): boolean {
    if (this.#context.anchors.isEmpty || args[0] !== 'EVALSHA') return true;
    const known = this.engine.execute(['SCRIPT', 'EXISTS', args[1] ?? '']);
    return Array.isArray(known) && known[0] === 1;
  }

  /**
   * False if a fault anchored here killed the server or stopped it; if stopped, the current event is put off until it
   * resumes.
   */
  #survives(moment: AnchorMoment, label: string): boolean {
    this.#context.anchors.passed(moment, label);
    if (this.crashed) return false;
    if (this.readyAtUs <= this.#context.kernel.nowUs) return true;
    this.#context.kernel.postpone();
    return false;
  }
}
