import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { FaultyChannel } from '../../../sim/net/faulty-channel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimRedisServer } from './server.ts';

export interface ReplicationParts {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly from: SimRedisServer;
  readonly to: SimRedisServer;
  /** How long a write waits at the master before it leaves; one that has not left dies with it. */
  readonly lagMs: number;
}

/** Asynchronous replication: every write and every publication, in order, some time after it was answered. */
export class Replication {
  readonly #parts: ReplicationParts;
  readonly #unlisten: (() => void)[];
  #lane: FaultyChannel;
  #isOver = false;

  constructor(parts: ReplicationParts) {
    const { network, from, to } = parts;
    this.#parts = parts;
    this.#lane = network.channel(from, to);
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
  }

  /** What is on its way never arrives. */
  stop(): void {
    this.#isOver = true;
    for (const unlisten of this.#unlisten) unlisten();
  }

  #send(effect: readonly string[]): void {
    this.#post('replicate', () => () => this.#parts.to.storage.apply(effect));
  }

  /** Somebody may listen at a replica that was the master a moment ago. One with no client is spared it. */
  #publish(effect: readonly string[]): void {
    const { to } = this.#parts;
    if (to.program.isConnected) this.#post('publish', () => () => to.storage.hear(effect));
  }

  /** One of the two came back: the replica takes what the master has, which may be nothing. */
  #resync(): void {
    const { network, from, to } = this.#parts;
    this.#lane = network.channel(from, to);
    this.#post('sync', () => {
      const copy = from.storage.copy();
      return () => to.storage.load(copy);
    });
  }

  /** `leave` is called when it leaves the master, what it returns when it reaches the replica. */
  #post(label: string, leave: () => () => void): void {
    const { kernel, from, to, lagMs } = this.#parts;
    const channel = this.#lane;
    const depart = (): boolean => {
      const cause = kernel.record(from.name, 'send', label, undefined, { to: to.name });
      const applied = leave();
      const arrive = (): boolean => {
        if (this.#isOver || channel !== this.#lane || !to.isUp) return false;
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
