import { toUs } from '../../../sim/kernel.ts';
import { Followers } from './followers.ts';
import type { PeerLink } from './peer-link.ts';
import { PendingSyncs } from './pending-syncs.ts';
import { prepare } from './prepare.ts';
import type { Program } from './program.ts';
import { type Answer, EPOCH_STEP, type Sync, type Write } from './request.ts';
import type { Role } from './server-context.ts';
import { type ServerSession, SessionTracker } from './session.ts';
import { type Change, Transaction, type Waiter } from './transaction-log.ts';
import { emptyContainers, Tree } from './tree.ts';

/**
 * One term as leader. It proposes to followers that have its log, commits what a majority has, and counts the time of
 * sessions. What is committed is a prefix of every log that a majority has, so that one number says it.
 */
export class Leading implements Role {
  readonly name = 'leading';
  readonly #program: Program;
  readonly #followers = new Followers();
  readonly #tracker: SessionTracker;
  /** With everything proposed; what the server answers reads by has only what is committed. */
  #prepared = new Tree();
  /** 0 until a majority follows. */
  #epoch = 0;
  #counter = 0;
  #committed = 0;
  readonly #syncs = new PendingSyncs();
  /** Since when it has not pinged, on its own clock. */
  #restsSinceUs: number | undefined;
  #checksContainers = false;
  isServing = false;

  constructor(program: Program) {
    const { tickMs } = program.settings;
    this.#program = program;
    this.#tracker = new SessionTracker(program, tickMs, (session) => this.#expire(session));
  }

  get tracked(): number {
    return this.#tracker.size;
  }

  /** Begins a term: waits for followers, but not for ever. */
  begin(): void {
    this.#program.note('lead');
    this.#program.after(this.#program.patienceMs, () => {
      if (!this.isServing && this.#isCurrent) this.#program.look('nobody follows');
    });
    this.#settleEpoch();
  }

  /** A term that has begun before time did, with everybody in step. */
  reign(links: readonly PeerLink[], epoch: number): void {
    this.#epoch = epoch;
    for (const link of links) {
      this.#take(link);
      link.isFed = true;
      link.isSynced = true;
    }
    this.#serve();
  }

  /** A server wants to follow. One that has seen more than this leader must not be led by it. */
  welcome(link: PeerLink, epoch: number, zxid: number): void {
    const { storage } = this.#program.machine;
    if (epoch > storage.epoch || (epoch === storage.epoch && zxid > storage.lastZxid)) {
      if (this.isServing) link.endAbove();
      else this.#program.look('a follower is ahead');
      return;
    }
    link.epoch = epoch;
    this.#take(link);
    if (this.#epoch === 0) this.#settleEpoch();
    else this.#feed(link);
  }

  heard(link: PeerLink): void {
    link.heardUs = this.#program.monotonicUs;
  }

  left(link: PeerLink): void {
    this.#followers.remove(link);
    link.following.goOn();
  }

  /** The follower has the log up to there. */
  acknowledged(link: PeerLink, count: number): void {
    link.acked = Math.max(link.acked, count);
    if (!link.isSynced) {
      link.isSynced = true;
      if (this.isServing) this.#invite(link);
    }
    if (this.isServing) this.#commit();
    else if (this.#isBacked) this.#serve();
  }

  /** A follower's answer to a ping, with the sessions that it has heard since the one before. */
  touched(sessions: Iterable<ServerSession>): void {
    for (const session of sessions) this.#tracker.touch(session);
  }

  touch(session: ServerSession): void {
    this.#tracker.touch(session);
  }

  submit(session: ServerSession, request: Write | Sync, waiter: Waiter): void {
    const { name } = this.#program.machine;
    if (!this.#tracker.hears(session, name)) return waiter.refused();
    if (request.kind === 'sync')
      return this.#sync(() => waiter.done({ zxid: this.#program.zxid, path: request.path }));
    this.#write(session, request, waiter);
  }

  /** A request that a client has sent to a follower. That it came does not touch the session. */
  forwarded(link: PeerLink, session: ServerSession, request: Write | Sync, waiter: Waiter): void {
    if (!this.#tracker.hears(session, link.follower.machine.name))
      return link.toFollower('refuse', () => waiter.refused());
    if (request.kind === 'sync')
      return this.#sync(() =>
        link.toFollower('sync', (following) => following.synced(request.path, waiter)),
      );
    this.#write(session, request, waiter);
  }

  open(session: ServerSession, waiter: Waiter, server: string = this.#program.machine.name): void {
    this.#tracker.track(session, server);
    this.#propose({ kind: 'createSession', session }, {}, waiter);
  }

  revalidate(session: ServerSession, told: (lives: boolean) => void): void {
    told(this.lives(session, this.#program.machine.name));
  }

  /** Whether a session lives whose client is now at that server; touches it at once. */
  lives(session: ServerSession, server: string): boolean {
    const isAlive = this.#tracker.touch(session);
    if (isAlive) this.#tracker.move(session, server);
    return isAlive;
  }

  wake(): void {
    if (this.#restsSinceUs === undefined) return;
    this.#goOn(this.#restsSinceUs);
    this.#beat();
    this.#checkContainersLater();
  }

  end(): void {
    this.isServing = false;
    this.#tracker.stop();
    this.#followers.endAll();
  }

  /** Deletes the containers that are empty by now. */
  reap(): void {
    for (const path of emptyContainers(this.#prepared))
      this.#propose({ kind: 'delete', path }, {}, undefined);
  }

  get #isCurrent(): boolean {
    return this.#program.role === this;
  }

  #take(link: PeerLink): void {
    link.leading = this;
    this.#followers.add(link);
    this.heard(link);
    // It comes while there is nothing to say, and has to know that as well as those who were there.
    if (this.#restsSinceUs !== undefined) link.following.rest();
  }

  /** Whether it makes a majority with those who have its log. */
  get #isBacked(): boolean {
    return this.#followers.synced + 1 >= this.#program.quorum;
  }

  /** With a majority behind it the leader takes a number that none of them has seen. */
  #settleEpoch(): void {
    if (this.#followers.size + 1 < this.#program.quorum) return;
    this.#epoch = Math.max(this.#program.machine.storage.epoch, this.#followers.epoch) + 1;
    if (this.#program.quorum === 1) return this.#serve();
    for (const link of this.#followers.all) this.#feed(link);
  }

  #feed(link: PeerLink): void {
    const { log } = this.#program.machine.storage;
    const copy = log.slice();
    const epoch = this.#epoch;
    link.isFed = true;
    link.toFollower('log', (following) => following.fed(copy, epoch));
  }

  #invite(link: PeerLink): void {
    const committed = this.#committed;
    link.toFollower('serve', (following) => following.serve(committed));
  }

  /** A majority has the whole log: all of it counts, and clients are let in. */
  #serve(): void {
    const { storage } = this.#program.machine;
    storage.epoch = this.#epoch;
    this.isServing = true;
    this.#committed = storage.log.length;
    this.#program.applyUpTo(this.#committed);
    this.#program.machine.ensemble.holds?.reigns(this.#program);
    // As in ZooKeeper (Leader.startZkServer): whoever saw more than is left, in an earlier term, is let in all the same.
    this.#program.zxid = Math.max(this.#program.zxid, this.#epoch * EPOCH_STEP);
    this.#prepared = new Tree();
    for (const { change, zxid } of storage.log) this.#prepared.apply(change, zxid);
    for (const session of this.#prepared.sessions) this.#tracker.track(session);
    for (const link of this.#followers.all) if (link.isSynced) this.#invite(link);
    this.#beat();
    this.#checkContainersLater();
  }

  #write(session: ServerSession, request: Write, waiter: Waiter): void {
    const change = prepare(this.#prepared, request, session, waiter.identities);
    if (typeof change === 'string')
      return this.#propose({ kind: 'refused' }, { code: change }, waiter);
    if (change.kind === 'closeSession') this.#tracker.remove(session);
    this.#propose(change, change.kind === 'create' ? { path: change.path } : {}, waiter);
  }

  #expire(session: ServerSession): void {
    this.#program.note('expire', String(session.id));
    const paths = this.#prepared.ephemeralsOf(session);
    this.#propose({ kind: 'closeSession', session, paths }, {}, undefined);
  }

  #propose(change: Change, told: Omit<Answer, 'zxid'>, waiter: Waiter | undefined): void {
    const { machine } = this.#program;
    const zxid = this.#epoch * EPOCH_STEP + ++this.#counter;
    const czxid = change.kind === 'create' ? zxid : undefined;
    const entry = new Transaction(zxid, change, { ...told, zxid, czxid }, waiter);
    this.#prepared.apply(change, zxid);
    machine.storage.log.push(entry);
    machine.anchors.passed('before', 'proposal');
    const index = machine.storage.log.length;
    this.#followers.propose(entry, index);
    machine.anchors.passed('after', 'proposal');
    this.#commit();
  }

  /** Commits what a majority has. */
  #commit(): void {
    if (this.#program.crashed || !this.isServing) return;
    const { quorum, machine } = this.#program;
    const committed = this.#followers.sharedBy(quorum, machine.storage.log.length);
    if (committed <= this.#committed) return;
    this.#committed = committed;
    this.#followers.commit(committed);
    this.#program.applyUpTo(committed);
    this.#syncs.release(committed);
  }

  /** Answered behind everything that was proposed when it came. */
  #sync(run: () => void): void {
    const index = this.#program.machine.storage.log.length;
    if (index <= this.#committed) run();
    else this.#syncs.add(index, run);
  }

  /** Twice a tick: pings, and a look whether a majority still answers. */
  #beat(): void {
    if (!this.#isCurrent || this.#program.crashed) return;
    if (this.#mayRest) return this.#rest();
    const { settings, monotonicUs } = this.#program;
    const silentSinceUs = monotonicUs - toUs(settings.syncLimit * settings.tickMs);
    this.#followers.dropSilent(silentSinceUs);
    if (!this.#isBacked) {
      this.#program.look('no majority follows');
      return;
    }
    this.#followers.ping();
    this.#program.after(settings.tickMs / 2, () => this.#beat());
  }

  /** Without clients and sessions, where every follower was heard just now: else silence is something to find out about. */
  get #mayRest(): boolean {
    const { settings, monotonicUs, isIdle } = this.#program;
    return isIdle && this.#followers.allHeardSince(monotonicUs - toUs(settings.tickMs));
  }

  #rest(): void {
    this.#restsSinceUs = this.#program.monotonicUs;
    for (const { following } of this.#followers.all) following.rest();
  }

  /** Whoever was silent before the rest has been silent for as long as it was then. */
  #goOn(sinceUs: number): void {
    this.#restsSinceUs = undefined;
    const { monotonicUs } = this.#program;
    for (const link of this.#followers.all) {
      link.heardUs = Math.min(monotonicUs, link.heardUs + monotonicUs - sinceUs);
      link.following.goOn();
    }
  }

  #checkContainersLater(): void {
    if (this.#checksContainers) return;
    this.#checksContainers = true;
    this.#program.after(this.#program.settings.containerCheckMs, () => {
      this.#checksContainers = false;
      if (!this.#isCurrent || this.#restsSinceUs !== undefined) return;
      this.reap();
      this.#checkContainersLater();
    });
  }
}
