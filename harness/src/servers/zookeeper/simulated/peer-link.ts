import type { FaultyChannel, OutgoingMessage } from '../../../sim/net/faulty-channel.ts';
import type { Following } from './following.ts';
import type { Leading } from './leading.ts';
import type { Program } from './program.ts';

/**
 * The connection of a follower to its leader: in order both ways, over the network and its rules. Each end gives it up
 * by itself; the other learns that, if anything gets through.
 */
export class PeerLink {
  readonly follower: Program;
  readonly leader: Program;
  readonly following: Following;
  /** Set when the leader takes the follower in. */
  leading: Leading | undefined;
  /** When the leader last heard the follower, on the leader's monotonic clock. */
  heardUs = 0;
  /** The latest epoch that the follower has acknowledged, by its own words. */
  epoch = 0;
  /** How many log entries the follower is known to have. */
  acked = 0;
  /** Whether the follower has been sent the leader's log, so that proposals make sense to it. */
  isFed = false;
  /** Whether it has said so. */
  isSynced = false;
  readonly #up: FaultyChannel;
  readonly #down: FaultyChannel;
  #isOverAbove = false;
  #isOverBelow = false;

  constructor(following: Following, follower: Program, leader: Program) {
    this.following = following;
    this.follower = follower;
    this.leader = leader;
    const { network } = follower.machine;
    this.#up = network.channel(follower.machine, leader.machine);
    this.#down = network.channel(leader.machine, follower.machine);
  }

  /** To whoever leads over there. */
  toLeader(label: string, run: (leading: Leading) => void): void {
    this.#post(this.#up, this.follower, this.leader, label, () => {
      if (this.#isOverAbove || this.leading === undefined) return;
      this.leading.heard(this);
      run(this.leading);
    });
  }

  /** The very first message, before anybody leads anybody. */
  knock(run: () => void): void {
    this.#post(this.#up, this.follower, this.leader, 'follow', () => {
      if (this.#isOverAbove) return;
      run();
    });
  }

  toFollower(label: string, run: (following: Following) => void): void {
    this.#post(this.#down, this.leader, this.follower, label, () => {
      if (this.#isOverBelow) return;
      this.following.heard();
      run(this.following);
    });
  }

  /** The leader gives it up. */
  endAbove(): void {
    if (this.#isOverAbove) return;
    this.#isOverAbove = true;
    this.leading?.left(this);
    this.#down.sendControl(this.leader.departUs, this.follower, () => {
      if (!this.#isOverBelow) this.following.lost('the leader closed the connection');
      return false;
    });
  }

  /** The follower gives it up. */
  endBelow(): void {
    if (this.#isOverBelow) return;
    this.#isOverBelow = true;
    this.#up.sendControl(this.follower.departUs, this.leader, () => {
      this.#endAboveQuietly();
      return false;
    });
  }

  #endAboveQuietly(): void {
    if (this.#isOverAbove) return;
    this.#isOverAbove = true;
    this.leading?.left(this);
  }

  #post(
    channel: FaultyChannel,
    from: Program,
    to: Program,
    label: string,
    arrive: () => void,
  ): void {
    // A fault that was anchored right before this message may have killed its sender.
    if (from.crashed) return;
    const { kernel } = from.machine;
    const { departUs } = from;
    const more = kernel.trace.isKept ? { to: to.machine.name } : undefined;
    const cause = kernel.record(from.machine.name, 'send', label, departUs, more);
    channel.send(new PeerLetter({ link: this, to, label, departUs, cause, run: arrive }));
  }

  /** A rule reset it: both ends learn that. */
  break(): void {
    this.#endAboveQuietly();
    if (!this.#isOverBelow) this.following.lost('the connection was reset');
  }
}

interface PeerLetterParts {
  readonly link: PeerLink;
  readonly to: Program;
  readonly label: string;
  readonly departUs: number;
  readonly cause: number;
  readonly run: () => void;
}

/** A class, because closures in the fields of literals outlive young collections, and there are many of these. */
class PeerLetter implements OutgoingMessage {
  readonly way = 'push';
  readonly label: string;
  readonly departUs: number;
  readonly owner: Program;
  readonly cause: number;
  readonly #link: PeerLink;
  readonly #run: () => void;

  constructor({ link, to, label, departUs, cause, run }: PeerLetterParts) {
    this.label = label;
    this.departUs = departUs;
    this.owner = to;
    this.cause = cause;
    this.#link = link;
    this.#run = run;
  }

  arrive(): boolean {
    this.owner.machine.kernel.begin(this.owner.machine.name, 'recv', this.label);
    this.#run();
    return false;
  }

  broken(): void {
    this.#link.break();
  }
}
