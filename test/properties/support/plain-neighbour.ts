import type { Instant } from '@holdfast/core';
import {
  type Attempt,
  type Backend,
  type Contender,
  callDeadlineMs,
  type Host,
  type Release,
  TTL_MS_DEFAULT,
  validityMs,
  type Withdrawal,
} from '@holdfast/core/backend';
import type { Subject } from '@holdfast/harness/simulator';
import { openMoving } from '@holdfast/moving';
import type { RedisNode, Script } from '@holdfast/redis/port';
import { openRedisSimple, plainCapabilities } from '@holdfast/redis-simple';
import { openRedlock, plainCapabilities as redlockPlain } from '@holdfast/redlock';

/** The script of the documentation of SET, which most libraries have. */
const COMPARE_AND_DELETE: Script = {
  name: 'release',
  source: `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
`,
};
const POLL_MS = 50;

/**
 * A lock as other libraries have it: `SET key value NX PX ttl`, where the value is random and opaque, and compare-and-delete. No
 * renewal, no undo: after an unknown reply it releases once, as redlock does, and tries again with another value.
 */
function plainNeighbour(node: RedisNode, host: Host): Backend {
  const { runtime } = host;
  const endMs = (ttlMs: number): number => runtime.now().monotonicMs + callDeadlineMs(ttlMs);

  async function release(key: string, value: string, ttlMs: number): Promise<Release> {
    try {
      const reply = await node.script(COMPARE_AND_DELETE, [key], [value], {
        deadlineMs: endMs(ttlMs),
      });
      return { kind: reply === 1 ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  function contend(key: string, contender: string, ttlMs: number): Contender {
    let doubtUntil: { readonly from: Instant } | undefined;
    let n = 0;
    const attempt = async (deadlineMs: number): Promise<Attempt> => {
      const from = runtime.now();
      // The judges recognise a hold by its contender; to our scripts the value is opaque.
      const value = `${contender}:${++n}:neighbour`;
      try {
        const args = ['SET', key, value, 'NX', 'PX', `${ttlMs}`];
        const reply = await node.command(args, { deadlineMs: Math.min(deadlineMs, endMs(ttlMs)) });
        if (reply === null) return { kind: 'busy', retryAfterMs: POLL_MS };
      } catch (cause) {
        doubtUntil = { from };
        await release(key, value, ttlMs);
        return { kind: 'unknown', cause };
      }
      const grant = {
        owner: value,
        leaseMs: ttlMs,
        validity: { from, ms: validityMs(ttlMs) },
        release: () => release(key, value, ttlMs),
      };
      return { kind: 'granted', grant };
    };
    return {
      attempt,
      withdraw: () =>
        Promise.resolve(
          doubtUntil === undefined ? { kind: 'clean' } : { kind: 'unknown', untilMs: ttlMs },
        ),
    };
  }

  return {
    name: 'plain neighbour',
    capabilities: plainCapabilities,
    contend: ({ key, contender, ttlMs = TTL_MS_DEFAULT }) => contend(key, contender, ttlMs),
    close: () => Promise.resolve(),
  };
}

/** Clients of the plain layout and of a neighbour on one Redis, in turn. */
export function besideNeighbour(open: typeof openRedisSimple = openRedisSimple): Subject {
  return {
    name: 'redis-simple, plain, beside a neighbour',
    nodes: 1,
    renews: false,
    tokens: false,
    labels: { acquire: ['acquire', 'SET'], release: ['release'], renew: ['renew'] },
    points: ['acquire', 'release'],
    open: async ({ node }, host) =>
      host.label.charCodeAt(0) % 2 === 0
        ? plainNeighbour(node, host)
        : await open({ node, layout: 'plain' }, host),
  };
}

/** The algorithm of redlock on plain keys, as libraries have it: all nodes at once, no retry within, all released if lost. */
function redlockNeighbour(nodes: readonly RedisNode[], host: Host): Backend {
  const quorum = Math.floor(nodes.length / 2) + 1;
  const each = nodes.map((node) => plainNeighbour(node, host));
  const contend = (key: string, contender: string, ttlMs: number): Contender => {
    const voters = each.map((backend) => backend.contend({ key, contender, ttlMs }));
    const attempt = async (deadlineMs: number): Promise<Attempt> => {
      const from = host.runtime.now();
      const votes = await Promise.all(voters.map((voter) => voter.attempt(deadlineMs)));
      const grants = votes.flatMap((vote) => (vote.kind === 'granted' ? vote.grant : []));
      const release = async (): Promise<Release> => {
        const all = await Promise.all(grants.map((grant) => grant.release()));
        return all.find(({ kind }) => kind === 'unknown') ?? { kind: 'released' };
      };
      const isValid = host.runtime.elapsedMs(from) < validityMs(ttlMs);
      const [first] = grants;
      if (first !== undefined && grants.length >= quorum && isValid)
        return {
          kind: 'granted',
          grant: { ...first, release, validity: { from, ms: validityMs(ttlMs) } },
        };
      await release();
      const retryAfterMs = POLL_MS * (1 + host.runtime.random());
      return (
        votes.find(({ kind }) => kind === 'unknown' || kind === 'unavailable') ?? {
          kind: 'busy',
          retryAfterMs,
        }
      );
    };
    const withdraw = async (): Promise<Withdrawal> => {
      const all = await Promise.all(voters.map((voter) => voter.withdraw()));
      return all.find(({ kind }) => kind === 'unknown') ?? { kind: 'clean' };
    };
    return { attempt, withdraw };
  };
  return {
    name: 'redlock neighbour',
    capabilities: redlockPlain,
    contend: ({ key, contender, ttlMs = TTL_MS_DEFAULT }) => contend(key, contender, ttlMs),
    close: () => Promise.resolve(),
  };
}

/** Clients of redlock's plain layout and of a neighbour, in turn, on one list of nodes. */
export function redlockBesideNeighbour(open: typeof openRedlock = openRedlock): Subject {
  return {
    ...besideNeighbour(),
    name: 'redlock, plain, beside a neighbour',
    nodes: 5,
    open: async ({ nodes }, host) =>
      host.label.charCodeAt(0) % 2 === 0
        ? redlockNeighbour(nodes, host)
        : await open({ nodes, layout: 'plain' }, host),
  };
}

/** Clients that leave the plain layout: `a`, `c` and so on hold in both layouts, the others are neighbours or of the new layout. */
export function leavingPlain(other: 'neighbour' | 'new'): Subject {
  return {
    ...besideNeighbour(),
    name: `moving out of the plain layout, beside ${other}`,
    keeps: (key) => key.endsWith(':fence') || key.includes(':mark:'),
    open: async ({ node }, host) => {
      if (host.label.charCodeAt(0) % 2 === 0)
        return other === 'new' ? await openRedisSimple({ node }, host) : plainNeighbour(node, host);
      const from = { backend: await openRedisSimple({ node, layout: 'plain' }, host) };
      const to = { backend: await openRedisSimple({ node }, host), fencingEpoch: 1 };
      return await openMoving({ from, to }, host);
    },
  };
}
