import type { PeerLink } from './peer-link.ts';
import type { Transaction } from './transaction-log.ts';

/** The followers of one leader, and how much of the log each is known to have. */
export class Followers {
  readonly #links = new Set<PeerLink>();

  get size(): number {
    return this.#links.size;
  }

  get all(): Iterable<PeerLink> {
    return this.#links;
  }

  /** Number of followers that have acknowledged the leader's log. */
  get synced(): number {
    let count = 0;
    for (const { isSynced } of this.#links) if (isSynced) count++;
    return count;
  }

  /** The latest epoch that any follower has acknowledged. */
  get epoch(): number {
    let latest = 0;
    for (const { epoch } of this.#links) latest = Math.max(latest, epoch);
    return latest;
  }

  add(link: PeerLink): void {
    this.#links.add(link);
  }

  remove(link: PeerLink): void {
    this.#links.delete(link);
  }

  propose(entry: Transaction, index: number): void {
    for (const link of this.#links)
      if (link.isLogSent)
        link.toFollower('proposal', (following) => following.proposed(entry, index));
  }

  commit(count: number): void {
    for (const link of this.#links)
      if (link.isSynced) link.toFollower('commit', (following) => following.committed(count));
  }

  ping(): void {
    for (const link of this.#links)
      if (link.isSynced) link.toFollower('ping', (following) => following.pinged());
  }

  pausePings(): void {
    for (const { following } of this.#links) following.pausePings();
  }

  /** The pause does not count: a follower has been silent for as long as it was when the pause began. */
  resumePings(nowUs: number, sinceUs: number): void {
    for (const link of this.#links) {
      link.heardUs = Math.min(nowUs, link.heardUs + nowUs - sinceUs);
      link.following.resumePings();
    }
  }

  /** Returns how much of a log of this length `quorum` servers have, the leader included; 0 if too few follow. */
  sharedBy(quorum: number, length: number): number {
    if (quorum <= 1) return length;
    let shared = 0;
    for (const { isSynced, acked } of this.#links)
      if (isSynced && acked > shared && this.#having(acked) + 1 >= quorum) shared = acked;
    return Math.min(shared, length);
  }

  /** Disconnects followers that were not heard since then. */
  dropSilent(sinceUs: number): void {
    for (const link of Array.from(this.#links)) if (link.heardUs < sinceUs) link.closeAtLeader();
  }

  allHeardSince(us: number): boolean {
    for (const { heardUs } of this.#links) if (heardUs < us) return false;
    return true;
  }

  endAll(): void {
    for (const link of Array.from(this.#links)) link.closeAtLeader();
  }

  /** Number of followers that have this many entries. */
  #having(count: number): number {
    let having = 0;
    for (const { isSynced, acked } of this.#links) if (isSynced && acked >= count) having++;
    return having;
  }
}
