import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { FaultyChannel } from '../../../sim/net/faulty-channel.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimPostgresServer } from './server.ts';
import type { LoggedChange } from './sql/transaction.ts';

export interface ReplicationParts {
  readonly kernel: Kernel;
  readonly network: Network;
  readonly from: SimPostgresServer;
  readonly to: SimPostgresServer;
  /** Time that a transaction waits at the primary before it is sent; one that was not sent is lost if the primary crashes. */
  readonly lagMs: number;
}

/** Streams every transaction of a primary to its standby, in order, which replies when it has written it. */
export class Replication {
  readonly #parts: ReplicationParts;
  readonly #unlisten: (() => void)[];
  #channel: FaultyChannel;
  #isOver = false;

  constructor(parts: ReplicationParts) {
    const { network, from, to } = parts;
    this.#parts = parts;
    this.#channel = network.channel(from, to);
    const started = (): void => this.#resync();
    this.#unlisten = [
      from.storage.listen({ logged: (...record) => this.#send(...record), started }),
      to.storage.listen({ logged: () => {}, started }),
    ];
    to.storage.become('standby');
    to.load(from.storage.copy());
    from.storage.acknowledged(from.storage.position);
  }

  /** Messages on their way never arrive. */
  stop(): void {
    this.#isOver = true;
    for (const unlisten of this.#unlisten) unlisten();
  }

  #send(changes: readonly LoggedChange[], position: number): void {
    const { to } = this.#parts;
    this.#post('replicate', () => () => to.storage.apply(changes, position));
  }

  /** One of the two restarted: the standby takes over the primary's data. */
  #resync(): void {
    const { network, from, to } = this.#parts;
    this.#channel = network.channel(from, to);
    this.#post('sync', () => {
      const copy = from.storage.copy();
      return () => to.load(copy);
    });
  }

  /** The standby tells its primary what it has. */
  #acknowledge(): void {
    const { kernel, network, from, to } = this.#parts;
    const channel = this.#channel;
    const { position } = to.storage;
    const cause = kernel.record(to.name, 'send', 'ack', undefined, { to: from.name });
    const arrive = (): boolean => {
      if (this.#isOver || channel !== this.#channel || !from.isUp) return false;
      kernel.begin(from.name, 'recv', 'ack');
      from.storage.acknowledged(position);
      return false;
    };
    const departUs = kernel.nowUs;
    const message = { way: 'push', label: 'ack', departUs, cause, arrive } as const;
    const broken = (): void => this.#resync();
    network.channel(to, from).send({ ...message, owner: from.program, broken });
  }

  /** Calls `leave` when the message leaves the primary, and its result when the message reaches the standby. */
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
        this.#acknowledge();
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
