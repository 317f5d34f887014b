import { type Host, ownerValue, parseOwner } from '@holdfast/core/backend';
import { keyPrefix, type PendingReleases, SAFETY_POLL_MS } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import type { NodeRegistry } from './node-registry.ts';

/** The objects that all contenders and grants of one backend share. */
export interface Store {
  readonly nodes: readonly RedisNode[];
  /** The number of nodes that must agree. */
  readonly quorum: number;
  readonly registry: NodeRegistry;
  readonly host: Host;
  readonly pendingReleases: PendingReleases;
}

/** The end of the name of a vote. */
export const VOTE = 'vote';

/** The names under which one lock is stored on every node. */
export interface StoredKeys {
  /** The key as the user wrote it. */
  readonly key: string;
  /** Holds the owner value to which the node has given its vote. */
  readonly vote: string;
  readonly channel: string;
  /** True if the vote is the very key that the user named, which other libraries write, too. */
  readonly isPlain: boolean;
}

/** Returns `‹namespace›:v1:{‹key›}:vote` and `…:vote-channel`: not the names of a lock on one node, which could share it. */
export function storedKeys(namespace: string, key: string): StoredKeys {
  const prefix = keyPrefix(namespace, key);
  return { key, vote: `${prefix}${VOTE}`, channel: `${prefix}vote-channel`, isPlain: false };
}

/** {@link storedKeys} in the plain layout. */
export function plainKeys(namespace: string, key: string): StoredKeys {
  return { ...storedKeys(namespace, key), vote: key, isPlain: true };
}

/** As redis-simple does in its plain layout. */
const PLAIN_POLL_MS = 100;

/** The time between two looks at a vote of others, without jitter. */
export function pollMsOf({ isPlain }: StoredKeys): number {
  return isPlain ? PLAIN_POLL_MS : SAFETY_POLL_MS;
}

/** Returns `‹namespace›:v1:{}:nodes`, the name of the list of nodes; no key is empty, so no lock has this name. */
export function listKey(namespace: string): string {
  return `${keyPrefix(namespace, '')}nodes`;
}

/**
 * Returns an owner value as the node at `place` of the list stores it, counted from 1:
 * `‹contender id›.‹place›:‹n›:‹label›`. If two addresses have come to lead to one server, that server has the vote of
 * one place, and of no other.
 */
export function withPlace(owner: string, place: number): string {
  return owner.replace(':', `.${place}:`);
}

/** Returns the owner value of a stored one; a value without a place is returned as it is. */
export function withoutPlace(stored: string): string {
  return stored.replace(/^([^:]+)\.\d+:/, '$1:');
}

/**
 * Returns what is exported of a hold: its owner value, with the n of each node in order, `‹contender›:‹n›,‹n›,…:‹label›`,
 * if healing has made them differ.
 */
export function exportedVotes(owner: string, votes: readonly string[]): string {
  const ns = votes.map((vote) => parseOwner(vote)?.n);
  if (new Set(ns).size === 1) return owner.replace(/:\d+:/, `:${ns[0]}:`);
  return owner.replace(/:\d+:/, `:${ns.join(',')}:`);
}

/** Returns the owner value that the node at `place` stores of an exported hold. */
export function exportedAt(exported: string, place: number): string {
  const [, contender = '', ns = '', label = ''] = /^([^:]+):([\d,]+):([^]*)$/.exec(exported) ?? [];
  const [first, ...others] = ns.split(',').map(Number);
  const n = [first, ...others][place - 1] ?? first ?? 0;
  return withPlace(ownerValue({ contender, n, label }), place);
}

/** One event about a node. */
export interface NodeReport {
  readonly outcome: string;
  readonly key?: string;
  readonly tookMs?: number;
  readonly cause?: unknown;
}

/** Reports an event of one node, so that an operator sees which is slow, down, refusing, or has lost its data. */
export function reportNode(host: Host, node: RedisNode, report: NodeReport): void {
  host.emit({ type: 'node', backend: NAME, node: node.address, ...report });
}
