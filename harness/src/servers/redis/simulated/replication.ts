import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { FaultyChannel } from '../../../sim/net/faulty-channel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimRedisServer } from './server.ts';
import type { KnownReplica } from './storage.ts';

export interface ReplicationParts {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly from: SimRedisServer;
  readonly to: SimRedisServer;
  /** Time that a write waits at the master before it is sent; an unsent write is lost if the master crashes. */
  readonly lagMs: number;
}

/** Asynchronous replication: sends every write and publication in order, some time after the client's reply. */
export class Replication implements KnownReplica {
  readonly #parts: ReplicationParts;
  readonly #unlisten: (() => void)[];
  #channel: FaultyChannel;
  #isOver = false;
  /** The master's offset that the replica has reached. */
  #reached: number;
  acknowledged: number | undefined;

  constructor(parts: ReplicationParts) {
    const { network, from, to } = parts;
    this.#parts = parts;
    this.#channel = network.channel(from, to);
    this.#unlisten = [
      from.storage.listen({
        wrote: (effect) => this.#send(effect),
        published: (effect) => this.#publish(effect),
        started: () => this.#resync(),
      }),
      to.storage.listen({
        wrote: () => {},
        published: () => {},
        started: () => this.#resync(),
      }),
    ];
    to.storage.become('replica');
    to.storage.load(from.storage.copy());
    this.#reached = from.storage.offset;
    this.acknowledged = this.#reached;
    from.storage.replicas.add(this);
  }

  /** Behind everything that was written before. */
  requestAcknowledgement(): void {
    this.#post('getack', () => () => this.#acknowledge());
  }

  /** Messages on their way never arrive. */
  stop(): void {
    this.#isOver = true;
    this.#parts.from.storage.replicas.delete(this);
    for (const unlisten of this.#unlisten) unlisten();
  }

  #send(effect: readonly string[]): void {
    const { from, to } = this.#parts;
    const { offset } = from.storage;
    this.#post('replicate', () => () => {
      to.storage.apply(effect);
      this.#reached = offset;
    });
  }

  /**
   * A replica that was the master a moment ago may have subscribers. One without connections receives no publications.
   */
  #publish(effect: readonly string[]): void {
    const { to } = this.#parts;
    if (to.program.isConnected)
      this.#post('publish', () => () => to.storage.applyPublication(effect));
  }

  /** One of the two restarted: the replica takes over the master's data, which may be empty. */
  #resync(): void {
    const { network, from, to } = this.#parts;
    this.#channel = network.channel(from, to);
    this.acknowledged = undefined;
    this.#post('sync', () => {
      const copy = from.storage.copy();
      const { offset } = from.storage;
      return () => {
        to.storage.load(copy);
        this.#reached = offset;
      };
    });
  }

  /** The replica answers its master. */
  #acknowledge(): void {
    const { kernel, network, from, to } = this.#parts;
    const channel = this.#channel;
    const reached = this.#reached;
    const cause = kernel.record(to.name, 'send', 'ack', undefined, { to: from.name });
    const arrive = (): boolean => {
      if (this.#isOver || channel !== this.#channel || !from.isUp) return false;
      kernel.begin(from.name, 'recv', 'ack');
      this.acknowledged = Math.max(this.acknowledged ?? 0, reached);
      from.storage.waits?.acknowledged();
      return false;
    };
    const departUs = kernel.nowUs;
    const message = { way: 'push', label: 'ack', departUs, cause, arrive } as const;
    const broken = (): void => this.#resync();
    network.channel(to, from).send({ ...message, owner: from.program, broken });
  }

  /** Calls `leave` when the message leaves the master, and its result when the message reaches the replica. */
  #post(label: string, leave: () => () => void): void {
    const { kernel, from, to, lagMs } = this.#parts;
    const channel = this.#channel;
    const depart = (): boolean => {
      const cause = kernel.record(from.name, 'send', label, undefined, { to: to.name });
      const applied = leave();
      const arrive = (): boolean => {
        if (this.#isOver || channel !== this.#channel || !to.isUp) return false;
        kernel.begin(to.name, 'recv', label);
        applied();
        return false;
      };
      const departUs = kernel.nowUs;
      const broken = (): void => this.#resync();
      channel.send({ way: 'push', label, departUs, owner: to.program, cause, arrive, broken });
      return false;
    };
    kernel.schedule(kernel.nowUs + toUs(lagMs), depart, { owner: from.program });
  }
}
