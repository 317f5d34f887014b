import type { Header } from './port.ts';

/**
 * The rule by which a keep-alive proves that its lease lives, with its argument in docs/backends/etcd.md#proof. Pure.
 *
 * A keep-alive is answered without a quorum. So a leader that was replaced, and has not noticed, answers it too, while its
 * successor lets the lease expire. It counts only between two linearizable replies: one that had come before the keep-alive
 * was sent, and one to a request that was sent after its reply. If all three are from one server, and that server was in
 * one term before and after, then one leader served throughout, and it was this leader that renewed the lease.
 */
export function isProof(before: Header, kept: Header, after: Header): boolean {
  const isOneServer = before.memberId === kept.memberId && kept.memberId === after.memberId;
  return isOneServer && before.raftTerm === after.raftTerm;
}

/** The share of a ttl after which a waiter or a holder renews its lease. */
const RENEWAL_SHARE = 1 / 3;
/** The share of a ttl after which a renewal that failed is tried again. */
const RETRY_SHARE = 1 / 10;
/** A winner that was proven longer ago proves again before it holds. */
const RECENT_SHARE = 1 / 2;

export function renewalPauseMs(ttlMs: number): number {
  return ttlMs * RENEWAL_SHARE;
}

export function retryPauseMs(ttlMs: number): number {
  return ttlMs * RETRY_SHARE;
}

/** True if a grant with so much validity left need not be proven again. */
export function isRecentlyProven(leftMs: number, ttlMs: number): boolean {
  return leftMs >= ttlMs * RECENT_SHARE;
}
