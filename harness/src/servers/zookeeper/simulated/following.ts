import { toUs } from '../../../sim/kernel.ts';
import { PeerLink } from './peer-link.ts';
import type { Program } from './program.ts';
import type { SyncRequest, WriteRequest } from './request.ts';
import type { Role } from './server-context.ts';
import type { ServerSession } from './session.ts';
import type { Transaction, Waiter } from './transaction-log.ts';

/**
 * Follows a leader. It replies to reads and pings by itself, until the leader has been silent for `syncLimit` ticks. It
 * reports the sessions that it heard with its replies to the leader's pings.
 */
export class Following implements Role {
  readonly name = 'following';
  readonly #program: Program;
  readonly #link: PeerLink;
  readonly #touched = new Set<ServerSession>();
  #heardUs: number;
  /** Keeps the order of the leader's messages, whatever the lag. */
  #notBeforeUs = 0;
  #watchesLeader = false;
  /** Time at which the leader went idle, on this server's clock; undefined while the leader pings. */
  #idleSinceUs: number | undefined;
  isServing = false;
  /** The leader tracks sessions. */
  readonly tracked = 0;

  constructor(program: Program, leader: Program) {
    this.#program = program;
    this.#link = new PeerLink(this, program, leader);
    this.#heardUs = program.monotonicUs;
  }

  begin(): void {
    const { epoch, lastZxid } = this.#program.machine.storage;
    this.#program.note('follow', this.#link.leader.machine.name);
    this.#link.requestToFollow(() => this.#link.leader.acceptFollower(this.#link, epoch, lastZxid));
    this.#program.after(this.#program.connectTimeoutMs, () => {
      if (!this.isServing) this.lost('the leader does not reply');
    });
  }

  /** Begins as a follower that is in step already. */
  beginInStep(epoch: number): PeerLink {
    this.#program.machine.storage.epoch = epoch;
    this.isServing = true;
    this.#watchLeader();
    return this.#link;
  }

  heard(): void {
    this.#heardUs = this.#program.monotonicUs;
  }

  /** Replaces the log by the leader's. The leader has checked that it is not behind this server. */
  receiveLog(log: readonly Transaction[], epoch: number): void {
    const same = this.#program.machine.storage.adopt(log, epoch);
    this.#program.forgetBeyond(same);
    this.#acknowledge();
  }

  serve(count: number): void {
    this.#program.applyUpTo(count);
    this.isServing = true;
    this.#watchLeader();
  }

  proposed(entry: Transaction, index: number): void {
    const { log } = this.#program.machine.storage;
    if (log.length >= index) return;
    log.push(entry);
    this.#acknowledge();
  }

  committed(count: number): void {
    this.#inOrder(() => this.#program.applyUpTo(count));
  }

  synced(path: string, waiter: Waiter): void {
    this.#inOrder(() => waiter.done({ zxid: this.#program.zxid, path }));
  }

  pinged(): void {
    const touched = this.#touched.size === 0 ? NONE : Array.from(this.#touched);
    this.#touched.clear();
    this.#link.toLeader('pong', (leading) => leading.touched(touched));
  }

  touch(session: ServerSession): void {
    this.#touched.add(session);
  }

  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void {
    this.#link.toLeader('forward', (leading) =>
      leading.forwarded(this.#link, session, request, waiter),
    );
  }

  open(session: ServerSession, waiter: Waiter): void {
    const { name } = this.#program.machine;
    this.#link.toLeader('forward', (leading) => leading.open(session, waiter, name));
  }

  revalidate(session: ServerSession, reply: (lives: boolean) => void): void {
    const { name } = this.#program.machine;
    this.#link.toLeader('revalidate', (leading) => {
      const lives = leading.revalidateAt(session, name);
      this.#link.toFollower('valid', () => reply(lives));
    });
  }

  lost(reason: string): void {
    if (this.#program.role === this) this.#program.startElection(reason);
  }

  // The leader wakes up and resumes the pings.
  wake(): void {}

  /** The leader has just heard this server and now goes idle: the following silence does not count. */
  pausePings(): void {
    this.#idleSinceUs ??= this.#program.monotonicUs;
  }

  /** The leader pings again. Silence before the pause does count. */
  resumePings(): void {
    if (this.#idleSinceUs === undefined) return;
    const { monotonicUs } = this.#program;
    this.#heardUs = Math.min(monotonicUs, this.#heardUs + monotonicUs - this.#idleSinceUs);
    this.#idleSinceUs = undefined;
    if (this.isServing) this.#watchLeader();
  }

  end(): void {
    this.isServing = false;
    this.#link.closeAtFollower();
  }

  #acknowledge(): void {
    const count = this.#program.machine.storage.log.length;
    this.#link.toLeader('ack', (leading) => leading.acknowledged(this.#link, count));
  }

  #inOrder(run: () => void): void {
    const { machine, lagMs } = this.#program;
    const { nowUs } = machine.kernel;
    if (lagMs === 0 && this.#notBeforeUs <= nowUs) return run();
    this.#notBeforeUs = Math.max(this.#notBeforeUs, nowUs + toUs(lagMs));
    const { cause } = machine.kernel;
    const apply = (): boolean => {
      if (this.isServing) run();
      return false;
    };
    machine.kernel.schedule(this.#notBeforeUs, apply, { owner: this.#program, cause });
  }

  /** Runs one timer for the end of the allowed silence; it is set again if the leader was heard meanwhile. */
  #watchLeader(): void {
    if (this.#watchesLeader) return;
    this.#watchesLeader = true;
    const { settings } = this.#program;
    const limitUs = toUs(settings.syncLimit * settings.tickMs);
    const idleUs = this.#program.monotonicUs - this.#heardUs;
    this.#program.after((limitUs - idleUs) / 1000, () => {
      this.#watchesLeader = false;
      if (this.#program.role !== this || this.#idleSinceUs !== undefined) return;
      if (this.#program.monotonicUs - this.#heardUs >= limitUs) this.lost('the leader is silent');
      else this.#watchLeader();
    });
  }
}

const NONE: readonly ServerSession[] = [];
