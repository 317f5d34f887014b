import { toUs } from '../../../sim/kernel.ts';
import { PeerLink } from './peer-link.ts';
import type { Program } from './program.ts';
import type { Sync, Write } from './request.ts';
import type { Role } from './server-context.ts';
import type { ServerSession } from './session.ts';
import type { Transaction, Waiter } from './transaction-log.ts';

/**
 * Follows a leader. It answers reads and pings by itself, also when it no longer hears the leader, until `syncLimit`
 * ticks of silence have passed; what it heard of sessions the leader learns with its answers to pings.
 */
export class Following implements Role {
  readonly name = 'following';
  readonly #program: Program;
  readonly #link: PeerLink;
  readonly #touched = new Set<ServerSession>();
  #heardUs: number;
  /** Nothing that came later is applied earlier, whatever the lag. */
  #notBeforeUs = 0;
  #watchesLeader = false;
  /** Since when the leader has had nothing to say, on this server's clock. */
  #restsSinceUs: number | undefined;
  isServing = false;
  /** The leader counts them. */
  readonly tracked = 0;

  constructor(program: Program, leader: Program) {
    this.#program = program;
    this.#link = new PeerLink(this, program, leader);
    this.#heardUs = program.monotonicUs;
  }

  begin(): void {
    const { epoch, lastZxid } = this.#program.machine.storage;
    this.#program.note('follow', this.#link.leader.machine.name);
    this.#link.knock(() => this.#link.leader.welcome(this.#link, epoch, lastZxid));
    this.#program.after(this.#program.patienceMs, () => {
      if (!this.isServing) this.lost('the leader does not answer');
    });
  }

  /** As if it had followed for ever. */
  reign(epoch: number): PeerLink {
    this.#program.machine.storage.epoch = epoch;
    this.isServing = true;
    this.#watchLeader();
    return this.#link;
  }

  heard(): void {
    this.#heardUs = this.#program.monotonicUs;
  }

  /** The leader's log, whatever this server had: the leader has seen to it that it was not more. */
  fed(log: readonly Transaction[], epoch: number): void {
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

  submit(session: ServerSession, request: Write | Sync, waiter: Waiter): void {
    this.#link.toLeader('forward', (leading) =>
      leading.forwarded(this.#link, session, request, waiter),
    );
  }

  open(session: ServerSession, waiter: Waiter): void {
    const { name } = this.#program.machine;
    this.#link.toLeader('forward', (leading) => leading.open(session, waiter, name));
  }

  revalidate(session: ServerSession, told: (lives: boolean) => void): void {
    const { name } = this.#program.machine;
    this.#link.toLeader('revalidate', (leading) => {
      const lives = leading.lives(session, name);
      this.#link.toFollower('valid', () => told(lives));
    });
  }

  lost(reason: string): void {
    if (this.#program.role === this) this.#program.look(reason);
  }

  // Its leader does, and has it go on.
  wake(): void {}

  /** The leader, which has just heard it, has nothing to say for a while: such silence does not count. */
  rest(): void {
    this.#restsSinceUs ??= this.#program.monotonicUs;
  }

  /** The leader pings again. Silence from before the rest does count. */
  goOn(): void {
    if (this.#restsSinceUs === undefined) return;
    const { monotonicUs } = this.#program;
    this.#heardUs = Math.min(monotonicUs, this.#heardUs + monotonicUs - this.#restsSinceUs);
    this.#restsSinceUs = undefined;
    if (this.isServing) this.#watchLeader();
  }

  end(): void {
    this.isServing = false;
    this.#link.endBelow();
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

  /** One timer that looks when silence would be over, however much was heard meanwhile. */
  #watchLeader(): void {
    if (this.#watchesLeader) return;
    this.#watchesLeader = true;
    const { settings } = this.#program;
    const limitUs = toUs(settings.syncLimit * settings.tickMs);
    const idleUs = this.#program.monotonicUs - this.#heardUs;
    this.#program.after((limitUs - idleUs) / 1000, () => {
      this.#watchesLeader = false;
      if (this.#program.role !== this || this.#restsSinceUs !== undefined) return;
      if (this.#program.monotonicUs - this.#heardUs >= limitUs) this.lost('the leader is silent');
      else this.#watchLeader();
    });
  }
}

const NONE: readonly ServerSession[] = [];
