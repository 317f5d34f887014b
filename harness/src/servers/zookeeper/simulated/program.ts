import type { Owner, SimEvent } from '../../../sim/event-queue.ts';
import { toUs } from '../../../sim/kernel.ts';
import { Clients } from './clients.ts';
import { Following } from './following.ts';
import { Leading } from './leading.ts';
import { Looking } from './looking.ts';
import type { PeerLink } from './peer-link.ts';
import type { Member, Role, ServerContext, Settings } from './server-context.ts';
import type { Transaction } from './transaction-log.ts';
import { Tree } from './tree.ts';
import { Watchers } from './watchers.ts';

/** Someone who knocked while it was open who would lead. */
interface Suitor {
  readonly link: PeerLink;
  readonly epoch: number;
  readonly zxid: number;
}

/** One run of a server program, from its start to its end: what it has applied, its clients, its role. */
export class Program implements Owner {
  readonly machine: ServerContext;
  readonly watchers: Watchers = new Watchers();
  readonly clients: Clients = new Clients(this);
  tree: Tree = new Tree();
  role: Role;
  /** The latest transaction applied. */
  zxid = 0;
  /** How many entries of the log are. */
  #applied = 0;
  /** How often in a row it has looked and found nobody to serve with. */
  #vain = 0;
  /** How long it takes to apply what was committed. */
  lagMs: number;
  readyAtUs = 0;
  crashed = false;

  constructor(machine: ServerContext) {
    this.machine = machine;
    this.lagMs = machine.ensemble.settings.lagMs;
    this.role = new Looking(this);
  }

  get settings(): Settings {
    return this.machine.ensemble.settings;
  }

  get quorum(): number {
    return this.machine.ensemble.quorum;
  }

  get self(): Member {
    return this.machine.ensemble.members[this.machine.id - 1]!;
  }

  get others(): readonly Member[] {
    return this.machine.ensemble.members.filter(({ id }) => id !== this.machine.id);
  }

  /** How long a server waits for one that should lead or follow it. */
  get patienceMs(): number {
    return this.settings.syncLimit * this.settings.tickMs;
  }

  get monotonicUs(): number {
    return this.machine.clock.monotonicUs(this.machine.kernel.nowUs);
  }

  /** A server that was stopped at an anchor sends when it goes on. */
  get departUs(): number {
    return Math.max(this.machine.kernel.nowUs, this.readyAtUs);
  }

  get isIdle(): boolean {
    return this.machine.ensemble.connections === 0 && this.role.tracked === 0;
  }

  /** Runs something when its monotonic clock shows so much. */
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

  /** Begins to look for a leader. */
  look(reason: string): void {
    this.note('look', reason);
    const waitMs = this.#vain === 0 ? 0 : this.settings.electionMs * 2 ** this.#vain;
    if (!this.role.isServing) this.#vain++;
    else this.#vain = 0;
    const looking = new Looking(this);
    this.#become(looking);
    looking.begin(Math.min(waitMs, this.patienceMs));
  }

  follow(leader: Member): void {
    const following = new Following(this, leader.program);
    this.#become(following);
    following.begin();
  }

  lead(suitors: readonly Suitor[]): void {
    const leading = new Leading(this);
    this.#become(leading);
    leading.begin();
    for (const { link, epoch, zxid } of suitors) this.welcome(link, epoch, zxid);
  }

  /** The role it has from the start of the world. */
  enthrone(role: Role): void {
    this.role = role;
  }

  /** Another server wants to follow this one. */
  welcome(link: PeerLink, epoch: number, zxid: number): void {
    if (this.role instanceof Leading || this.role instanceof Looking)
      this.role.welcome(link, epoch, zxid);
    else link.endAbove();
  }

  heardVote(
    vote: { readonly id: number; readonly epoch: number; readonly zxid: number },
    from: Member,
    isAnswer: boolean,
  ): void {
    if (this.role instanceof Looking) this.role.voted(vote, from, isAnswer);
    else if (this.role instanceof Leading)
      this.send('invite', from, (there) => {
        if (there.role instanceof Looking) there.role.invited(this.self);
      });
  }

  /** To another server, on a connection of its own. */
  send(label: string, to: Member, run: (there: Program) => void): void {
    if (this.crashed) return;
    const { kernel, network, name } = this.machine;
    const there = to.program;
    const cause = kernel.record(name, 'send', label, this.departUs, { to: to.name });
    const arrive = (): boolean => {
      kernel.begin(to.name, 'recv', label);
      run(there);
      return false;
    };
    const message = { departUs: this.departUs, owner: there, cause, arrive, broken: () => {} };
    network.channel(this.machine, to).send({ way: 'push', label, ...message });
  }

  /** Where it leads. */
  reap(): void {
    if (this.role instanceof Leading) this.role.reap();
  }

  // What it has applied

  /** Applies what is committed, tells who waited here, and fires watches. */
  applyUpTo(count: number): void {
    const { log } = this.machine.storage;
    while (this.#applied < count) {
      const entry = log[this.#applied];
      if (entry === undefined) return;
      this.#applied++;
      this.#apply(entry);
    }
  }

  /** A leader's log differs from this server's from there on. */
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
    const { zxid, change, answer: told, waiter } = entry;
    // Before: of what is deleted only now can be seen who may hear of it.
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
    if (waiter?.program === this) waiter.done(told);
    else if (change.kind === 'closeSession') this.clients.dismiss(change.session);
  }
}
