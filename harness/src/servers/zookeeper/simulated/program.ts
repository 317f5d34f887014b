import type { EventOwner, SimEvent } from '../../../sim/event-queue.ts';
import { toUs } from '../../../sim/kernel.ts';
import { ClientConnections } from './client-connections.ts';
import { Following } from './following.ts';
import { Leading } from './leading.ts';
import { Looking, type PendingFollower } from './looking.ts';
import type { PeerLink } from './peer-link.ts';
import type { EnsembleMember, EnsembleSettings, Role, ServerContext } from './server-context.ts';
import type { Transaction } from './transaction-log.ts';
import { Tree } from './tree.ts';
import { Watchers } from './watchers.ts';

/** One run of a server program, from start to end: its applied state, its clients, its role. */
export class Program implements EventOwner {
  readonly machine: ServerContext;
  readonly watchers: Watchers = new Watchers();
  readonly clients: ClientConnections = new ClientConnections(this);
  tree: Tree = new Tree();
  role: Role;
  /** The latest transaction applied. */
  zxid = 0;
  /** Number of log entries applied. */
  #applied = 0;
  /** Number of elections in a row after which it could not serve. */
  #fruitlessElections = 0;
  /** Time that it takes to apply committed transactions. */
  lagMs: number;
  readyAtUs = 0;
  crashed = false;

  constructor(machine: ServerContext) {
    this.machine = machine;
    this.lagMs = machine.ensemble.settings.lagMs;
    this.role = new Looking(this);
  }

  get settings(): EnsembleSettings {
    return this.machine.ensemble.settings;
  }

  get quorum(): number {
    return this.machine.ensemble.quorum;
  }

  get self(): EnsembleMember {
    return this.machine.ensemble.members[this.machine.id - 1]!;
  }

  get others(): readonly EnsembleMember[] {
    return this.machine.ensemble.members.filter(({ id }) => id !== this.machine.id);
  }

  /** Limit for waiting until a leader or follower connects. */
  get connectTimeoutMs(): number {
    return this.settings.syncLimit * this.settings.tickMs;
  }

  get monotonicUs(): number {
    return this.machine.clock.monotonicUs(this.machine.kernel.nowUs);
  }

  /** A server that was stopped at an anchor sends when it resumes. */
  get departUs(): number {
    return Math.max(this.machine.kernel.nowUs, this.readyAtUs);
  }

  get isIdle(): boolean {
    return this.machine.ensemble.connections === 0 && this.role.tracked === 0;
  }

  /** Calls `run` when its monotonic clock shows `monotonicUs`. */
  at(monotonicUs: number, run: () => void): SimEvent {
    const { kernel, clock } = this.machine;
    const act = (): boolean => {
      run();
      return false;
    };
    return kernel.schedule(clock.whenMonotonic(monotonicUs, kernel.nowUs), act, { owner: this });
  }

  after(ms: number, run: () => void): SimEvent {
    return this.at(this.monotonicUs + toUs(ms), run);
  }

  note(kind: string, label?: string): void {
    this.machine.kernel.record(this.machine.name, kind, label);
  }

  // Roles

  /** Starts looking for a leader. */
  startElection(reason: string): void {
    this.note('look', reason);
    const waitMs =
      this.#fruitlessElections === 0 ? 0 : this.settings.electionMs * 2 ** this.#fruitlessElections;
    if (!this.role.isServing) this.#fruitlessElections++;
    else this.#fruitlessElections = 0;
    const looking = new Looking(this);
    this.#become(looking);
    looking.begin(Math.min(waitMs, this.connectTimeoutMs));
  }

  follow(leader: EnsembleMember): void {
    const following = new Following(this, leader.program);
    this.#become(following);
    following.begin();
  }

  lead(pending: readonly PendingFollower[]): void {
    const leading = new Leading(this);
    this.#become(leading);
    leading.begin();
    for (const { link, epoch, zxid } of pending) this.acceptFollower(link, epoch, zxid);
  }

  /** Sets the role that it has from the start of the world. */
  assignRole(role: Role): void {
    this.role = role;
  }

  /** Handles another server that requests to follow this one. */
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void {
    if (this.role instanceof Leading || this.role instanceof Looking)
      this.role.acceptFollower(link, epoch, zxid);
    else link.closeAtLeader();
  }

  receiveVote(
    vote: { readonly id: number; readonly epoch: number; readonly zxid: number },
    from: EnsembleMember,
    isReply: boolean,
  ): void {
    if (this.role instanceof Looking) this.role.receiveVote(vote, from, isReply);
    else if (this.role instanceof Leading)
      this.send('invite', from, (there) => {
        if (there.role instanceof Looking) there.role.invited(this.self);
      });
  }

  /** Sends a message to another server, on a connection of its own. */
  send(label: string, to: EnsembleMember, run: (there: Program) => void): void {
    if (this.crashed) return;
    const { kernel, network, name } = this.machine;
    const there = to.program;
    const { departUs } = this;
    const more = kernel.trace.isKept ? { to: to.name } : undefined;
    const cause = kernel.record(name, 'send', label, departUs, more);
    const arrive = (): boolean => {
      kernel.begin(to.name, 'recv', label);
      run(there);
      return false;
    };
    const way = 'push';
    network
      .channel(this.machine, to)
      .send({ way, label, departUs, owner: there, cause, arrive, broken: notHeeded });
  }

  /** Deletes empty containers, if it leads. */
  reap(): void {
    if (this.role instanceof Leading) this.role.reap();
  }

  // Applied state

  /** Applies committed entries, replies to requests that wait for them here, and fires watches. */
  applyUpTo(count: number): void {
    const { log } = this.machine.storage;
    while (this.#applied < count) {
      const entry = log[this.#applied];
      if (entry === undefined) return;
      this.#applied++;
      this.#apply(entry);
    }
  }

  /** Drops the applied state beyond `count` entries: from there on the leader's log differs from this server's. */
  forgetBeyond(count: number): void {
    if (this.#applied <= count) return;
    this.tree = new Tree();
    this.#applied = 0;
    this.zxid = 0;
    for (const { change, zxid } of this.machine.storage.log.slice(0, count)) {
      this.tree.apply(change, zxid);
      this.zxid = zxid;
      this.#applied++;
    }
    this.machine.ensemble.applied?.(this.machine.name, this.tree, undefined);
  }

  #become(role: Role): void {
    this.role.end();
    this.role = role;
    this.clients.abort('the server has no leader');
  }

  #apply(entry: Transaction): void {
    const { zxid, change, reply, waiter } = entry;
    // Fires first: the access list of a deleted node is readable only before the change is applied.
    switch (change.kind) {
      case 'create':
        this.watchers.fire('created', change.path, change.acl);
        break;
      case 'delete':
        this.watchers.fire('deleted', change.path, this.tree.get(change.path)?.acl);
        break;
      case 'setData':
        this.watchers.fire('changed', change.path, this.tree.get(change.path)?.acl);
        break;
      case 'closeSession':
        for (const path of change.paths)
          this.watchers.fire('deleted', path, this.tree.get(path)?.acl);
        break;
      case 'createSession':
      case 'refused':
        break;
    }
    this.tree.apply(change, zxid);
    this.zxid = zxid;
    this.machine.ensemble.applied?.(this.machine.name, this.tree, entry);
    this.machine.ensemble.holds?.applied(this, entry);
    if (waiter?.program === this) waiter.done(reply);
    else if (change.kind === 'closeSession') this.clients.dismiss(change.session);
  }
}

/** Servers notice by their own limits that another one is away. */
function notHeeded(): void {}
