import type { Grant } from '@holdfast/core/backend';
import type { openZk } from '@holdfast/zk';
import { type Actor, Bench, CONTAINER } from '../../../packages/zk/test/kit/bench.ts';
import { cutFollower } from './cut-follower.ts';
import { stoppedLeader } from './stopped-leader.ts';

/** Plays one scene with a recipe; what is wrong with it, undefined when nothing is. */
export type Scenario = (open: typeof openZk) => Promise<string | undefined>;

export type ScenarioName =
  | 'herd'
  | 'unknown node'
  | 'neighbours'
  | 'end of the sequence'
  | 'dead session'
  | 'cut follower'
  | 'cut follower, after a standstill'
  | 'cut follower, behind a paused leader';

const WAITERS = 5;

/** Most by hand, since each needs one thing to happen at one moment. */
export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  herd: async (open) => {
    const at = new Bench(open);
    const holder = await at.actor('holder');
    const grant = await holder.take('c0');
    const rest = new AbortController();
    let woken = 0;
    for (let i = 1; i <= WAITERS; i++) {
      const actor = await at.actor(`waiter ${i}`);
      const contender = actor.contend(`c${i}`);
      await actor.attempt(contender);
      await actor.change(contender);
      await actor.attempt(contender);
      void contender.changed(rest.signal).then(() => {
        if (!rest.signal.aborted) woken += 1;
      });
    }
    await at.let(grant.release());
    await at.runtime.pass(10);
    rest.abort();
    return woken === 1 ? undefined : `${woken} of ${WAITERS} waiters were woken by one release`;
  },

  'unknown node': async (open) => {
    const { at, a } = await warm(open);
    await at.runtime.pass(10);
    at.tree.create(`${CONTAINER}/_c_1-__WRIT__`, '', 0xdeadn, true);
    const { kind } = await a.attempt(a.contend('c1'));
    return kind === 'refused' ? undefined : `${kind} beside a node whose meaning is unknown`;
  },

  neighbours: async (open) => {
    const { at, a } = await warm(open);
    await at.runtime.pass(10);
    for (const prefix of ['_c_1-lock-', 'c0ffee__lock__']) {
      const other = at.tree.create(`${CONTAINER}/${prefix}`, '', 0xdeadn, true);
      const contender = a.contend(prefix);
      const { kind } = await a.attempt(contender);
      if (kind !== 'busy') return `${prefix} was not waited for: ${kind}`;
      at.tree.delete(other);
      await at.let(contender.withdraw());
    }
    return undefined;
  },

  'end of the sequence': async (open) => {
    const { at, a } = await warm(open);
    await at.runtime.pass(10);
    at.tree.at(CONTAINER).made = 2 ** 31 - 2;
    const other = at.tree.create(`${CONTAINER}/_c_1-lock-`, '', 0xdeadn, true);
    const ours = await a.attempt(a.contend('c1'));
    at.tree.delete(other);
    // The next sequence is -2147483648, which is the least number, and the least text: a client that stays in the queue
    // holds by its number, and another one that enters now holds by its text.
    return ours.kind === 'refused'
      ? undefined
      : 'two clients hold: ours by number, the neighbour by text';
  },

  'dead session': async (open) => {
    const { at, a } = await warm(open);
    const b = await at.actor('b');
    // A node of an earlier session of this contender, whose end its server does not know.
    const dead = at.tree.create(`${CONTAINER}/c1-lock-`, 'c1:1:a', 0xdeadn, true);
    const contender = a.contend('c1');
    a.session.next('create', 'stuck');
    await a.attempt(contender);
    await interruptConnection(at, a);
    const first = await a.attempt(contender);
    if (at.tree.nodes.has(dead)) at.tree.delete(dead);
    const second = await b.attempt(b.contend('c2'));
    return bothValid(at, first, second);
  },

  'cut follower': (open) => cutFollower(open, false),

  'cut follower, after a standstill': (open) => cutFollower(open, true),

  'cut follower, behind a paused leader': stoppedLeader,
};

type ActorAttempt = Awaited<ReturnType<Actor['attempt']>>;

async function warm(open: typeof openZk): Promise<{ readonly at: Bench; readonly a: Actor }> {
  const at = new Bench(open);
  const a = await at.actor('a');
  await a.warm();
  return { at, a };
}

/** The connection is lost, and found again. */
async function interruptConnection(at: Bench, actor: Actor): Promise<void> {
  actor.session.disconnect();
  await at.runtime.pass(10);
  actor.session.reconnect();
}

function bothValid({ runtime }: Bench, ...attempts: readonly ActorAttempt[]): string | undefined {
  const grants = attempts.flatMap((attempt): Grant[] =>
    attempt.kind === 'granted' ? [attempt.grant] : [],
  );
  const valid = grants.filter(({ validity: { from, ms } }) => runtime.elapsedMs(from) < ms);
  return valid.length > 1 ? 'two leases are valid at once' : undefined;
}
