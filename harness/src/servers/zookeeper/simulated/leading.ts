import { toUs } from '../../../sim/kernel.ts';
import { Broadcast } from './broadcast.ts';
import { Followers } from './followers.ts';
import type { PeerLink } from './peer-link.ts';
import { prepare } from './prepare.ts';
import type { Program } from './program.ts';
import type { SyncRequest, WriteRequest } from './request.ts';
import type { Role } from './server-context.ts';
import { type ServerSession, SessionTracker } from './session.ts';
import type { Waiter } from './transaction-log.ts';

/** One term as leader: its followers, its {@link Broadcast}, and the expiry times of sessions. */
export class Leading implements Role {
  readonly name = 'leading';
  readonly #program: Program;
  readonly #followers = new Followers();
  readonly #tracker: SessionTracker;
  readonly #broadcast: Broadcast;
  /** 0 until a majority follows. */
  #epoch = 0;
  /** Time at which it stopped pinging, on its own clock; undefined while it pings. */
  #idleSinceUs: number | undefined;
  #checksContainers = false;

  constructor(program: Program) {
    const { tickMs } = program.settings;
    this.#program = program;
    this.#tracker = new SessionTracker(program, tickMs, (session) => this.#expire(session));
    this.#broadcast = new Broadcast(program, this.#followers);
  }

  get isServing(): boolean {
    return this.#broadcast.isOpen;
  }

  get tracked(): number {
    return this.#tracker.size;
  }

  /** Begins a term: waits for followers, for a limited time. */
  begin(): void {
    this.#program.note('lead');
    this.#program.after(this.#program.connectTimeoutMs, () => {
      if (!this.isServing && this.#isCurrent) this.#program.startElection('nobody follows');
    });
    this.#settleEpoch();
  }

  /** Begins the first term of the world, in which every follower is in step from the start. */
  beginInStep(links: readonly PeerLink[], epoch: number): void {
    this.#epoch = epoch;
    for (const link of links) {
      this.#add(link);
      link.isLogSent = true;
      link.isSynced = true;
    }
    this.#serve();
  }

  /** Handles a server that requests to follow. A server with a longer history must not follow this one. */
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void {
    const { storage } = this.#program.machine;
    if (epoch > storage.epoch || (epoch === storage.epoch && zxid > storage.lastZxid)) {
      if (this.isServing) link.closeAtLeader();
      else this.#program.startElection('a follower is ahead');
      return;
    }
    link.epoch = epoch;
    this.#add(link);
    if (this.#epoch === 0) this.#settleEpoch();
    else this.#broadcast.sendLog(link, this.#epoch);
  }

  heard(link: PeerLink): void {
    link.heardUs = this.#program.monotonicUs;
  }

  disconnected(link: PeerLink): void {
    this.#followers.remove(link);
    link.following.resumePings();
  }

  /** The follower has the first `count` entries of the log. */
  acknowledged(link: PeerLink, count: number): void {
    link.acked = Math.max(link.acked, count);
    if (!link.isSynced) {
      link.isSynced = true;
      if (this.isServing) this.#broadcast.invite(link);
    }
    if (this.isServing) this.#broadcast.commit();
    else if (this.#hasMajority) this.#serve();
  }

  /** Handles a follower's reply to a ping: the sessions that it heard since its previous reply. */
  touched(sessions: Iterable<ServerSession>): void {
    for (const session of sessions) this.#tracker.touch(session);
  }

  touch(session: ServerSession): void {
    this.#tracker.touch(session);
  }

  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void {
    const { name } = this.#program.machine;
    if (!this.#tracker.accepts(session, name)) return waiter.refused();
    if (request.kind === 'sync')
      return this.#broadcast.sync(() =>
        waiter.done({ zxid: this.#program.zxid, path: request.path }),
      );
    this.#write(session, request, waiter);
  }

  /** Handles a client's request that a follower forwarded. Its arrival does not touch the session. */
  forwarded(
    link: PeerLink,
    session: ServerSession,
    request: WriteRequest | SyncRequest,
    waiter: Waiter,
  ): void {
    if (!this.#tracker.accepts(session, link.follower.machine.name))
      return link.toFollower('refuse', () => waiter.refused());
    if (request.kind === 'sync')
      return this.#broadcast.sync(() =>
        link.toFollower('sync', (following) => following.synced(request.path, waiter)),
      );
    this.#write(session, request, waiter);
  }

  open(session: ServerSession, waiter: Waiter, server: string = this.#program.machine.name): void {
    this.#tracker.track(session, server);
    this.#broadcast.propose({ kind: 'createSession', session }, {}, waiter);
  }

  revalidate(session: ServerSession, reply: (lives: boolean) => void): void {
    reply(this.revalidateAt(session, this.#program.machine.name));
  }

  /** True if a session lives whose client is now connected to `server`; touches the session. */
  revalidateAt(session: ServerSession, server: string): boolean {
    const isAlive = this.#tracker.touch(session);
    if (isAlive) this.#tracker.move(session, server);
    return isAlive;
  }

  wake(): void {
    if (this.#idleSinceUs === undefined) return;
    this.#followers.resumePings(this.#program.monotonicUs, this.#idleSinceUs);
    this.#idleSinceUs = undefined;
    this.#pingFollowers();
    this.#checkContainersLater();
  }

  end(): void {
    this.#broadcast.close();
    this.#tracker.stop();
    this.#followers.endAll();
  }

  /** Deletes the containers that are empty now. */
  reap(): void {
    this.#broadcast.deleteEmptyContainers();
  }

  get #isCurrent(): boolean {
    return this.#program.role === this;
  }

  #add(link: PeerLink): void {
    link.leading = this;
    this.#followers.add(link);
    this.heard(link);
    // The leader is idle: the new follower has to know that too, or it would take the silence for a failure.
    if (this.#idleSinceUs !== undefined) link.following.pausePings();
  }

  /** True if the leader and the followers that have its log are a majority. */
  get #hasMajority(): boolean {
    return this.#followers.synced + 1 >= this.#program.quorum;
  }

  /** With a majority of followers the leader draws an epoch that none of them has seen. */
  #settleEpoch(): void {
    if (this.#followers.size + 1 < this.#program.quorum) return;
    this.#epoch = Math.max(this.#program.machine.storage.epoch, this.#followers.epoch) + 1;
    if (this.#program.quorum === 1) return this.#serve();
    for (const link of this.#followers.all) this.#broadcast.sendLog(link, this.#epoch);
  }

  /** A majority has the whole log: clients may connect. */
  #serve(): void {
    this.#broadcast.open(this.#epoch);
    for (const session of this.#broadcast.tree.sessions) this.#tracker.track(session);
    for (const link of this.#followers.all) if (link.isSynced) this.#broadcast.invite(link);
    this.#pingFollowers();
    this.#checkContainersLater();
  }

  #write(session: ServerSession, request: WriteRequest, waiter: Waiter): void {
    const change = prepare(this.#broadcast.tree, request, session, waiter.identities);
    if (typeof change === 'string')
      return this.#broadcast.propose({ kind: 'refused' }, { code: change }, waiter);
    if (change.kind === 'closeSession') this.#tracker.remove(session);
    const reply = change.kind === 'create' ? { path: change.path } : {};
    this.#broadcast.propose(change, reply, waiter);
  }

  #expire(session: ServerSession): void {
    this.#program.note('expire', String(session.id));
    const paths = this.#broadcast.tree.ephemeralsOf(session);
    this.#broadcast.propose({ kind: 'closeSession', session, paths }, {}, undefined);
  }

  /** Twice a tick: pings the followers and checks that a majority still replies. */
  #pingFollowers(): void {
    if (!this.#isCurrent || this.#program.crashed) return;
    if (this.#mayIdle) return this.#pausePings();
    const { settings, monotonicUs } = this.#program;
    const silentSinceUs = monotonicUs - toUs(settings.syncLimit * settings.tickMs);
    this.#followers.dropSilent(silentSinceUs);
    if (!this.#hasMajority) {
      this.#program.startElection('no majority follows');
      return;
    }
    this.#followers.ping();
    this.#program.after(settings.tickMs / 2, () => this.#pingFollowers());
  }

  /** True without clients and sessions, if every follower was heard within a tick: an older silence may be a failure. */
  get #mayIdle(): boolean {
    const { settings, monotonicUs, isIdle } = this.#program;
    return isIdle && this.#followers.allHeardSince(monotonicUs - toUs(settings.tickMs));
  }

  #pausePings(): void {
    this.#idleSinceUs = this.#program.monotonicUs;
    this.#followers.pausePings();
  }

  #checkContainersLater(): void {
    if (this.#checksContainers) return;
    this.#checksContainers = true;
    this.#program.after(this.#program.settings.containerCheckMs, () => {
      this.#checksContainers = false;
      if (!this.#isCurrent || this.#idleSinceUs !== undefined) return;
      this.reap();
      this.#checkContainersLater();
    });
  }
}
