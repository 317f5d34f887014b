import type { FaultyChannel, OutgoingMessage } from '../../../sim/net/faulty-channel.ts';
import type { Following } from './following.ts';
import type { Leading } from './leading.ts';
import type { Program } from './program.ts';

/**
 * The connection of a follower to its leader: ordered in both directions, and subject to the rules of the network. Each
 * end closes it on its own; the other end notices if anything gets through.
 */
export class PeerLink {
  readonly follower: Program;
  readonly leader: Program;
  readonly following: Following;
  /** Set when the leader accepts the follower. */
  leading: Leading | undefined;
  /** Time at which the leader last heard the follower, on the leader's monotonic clock. */
  heardUs = 0;
  /** The latest epoch that the follower has acknowledged, as it reported. */
  epoch = 0;
  /** Number of log entries that the follower is known to have. */
  acked = 0;
  /** True once the leader's log was sent: from then on the follower can use proposals. */
  isLogSent = false;
  /** True once the follower has acknowledged that log. */
  isSynced = false;
  readonly #up: FaultyChannel;
  readonly #down: FaultyChannel;
  #isOverAtLeader = false;
  #isOverAtFollower = false;

  constructor(following: Following, follower: Program, leader: Program) {
    this.following = following;
    this.follower = follower;
    this.leader = leader;
    const { network } = follower.machine;
    this.#up = network.channel(follower.machine, leader.machine);
    this.#down = network.channel(leader.machine, follower.machine);
  }

  /** Sends to the leader's current term. */
  toLeader(label: string, run: (leading: Leading) => void): void {
    this.#post(this.#up, this.follower, this.leader, label, () => {
      if (this.#isOverAtLeader || this.leading === undefined) return;
      this.leading.heard(this);
      run(this.leading);
    });
  }

  /** Sends the first message, before the leader has accepted the follower. */
  requestToFollow(run: () => void): void {
    this.#post(this.#up, this.follower, this.leader, 'follow', () => {
      if (this.#isOverAtLeader) return;
      run();
    });
  }

  toFollower(label: string, run: (following: Following) => void): void {
    this.#post(this.#down, this.leader, this.follower, label, () => {
      if (this.#isOverAtFollower) return;
      this.following.heard();
      run(this.following);
    });
  }

  /** The leader disconnects the follower. */
  closeAtLeader(): void {
    if (this.#isOverAtLeader) return;
    this.#isOverAtLeader = true;
    this.leading?.disconnected(this);
    this.#down.sendControl(this.leader.departUs, this.follower, () => {
      if (!this.#isOverAtFollower) this.following.lost('the leader closed the connection');
      return false;
    });
  }

  /** The follower disconnects. */
  closeAtFollower(): void {
    if (this.#isOverAtFollower) return;
    this.#isOverAtFollower = true;
    this.#up.sendControl(this.follower.departUs, this.leader, () => {
      this.#dropAtLeader();
      return false;
    });
  }

  #dropAtLeader(): void {
    if (this.#isOverAtLeader) return;
    this.#isOverAtLeader = true;
    this.leading?.disconnected(this);
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

  /** A rule reset the connection: both ends notice. */
  break(): void {
    this.#dropAtLeader();
    if (!this.#isOverAtFollower) this.following.lost('the connection was reset');
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
