import assert from 'node:assert/strict';
import type { OpenSession, SessionState, ZooKeeperSession } from '@holdfast/zk/port';

/** Short, so that expiries are soon; long enough for a busy machine to ping within a third of it. */
export const TIMEOUT_MS = 1_500;
const OPEN_MS = 10_000;
const NAMES = 3_000;

/** The world of a check: a server, and the network between it and one session. */
export interface World {
  /** Through the proxy. */
  readonly open: OpenSession;
  /** Straight to the server. */
  readonly observe: OpenSession;
  /** Below a path of the server that need not exist. */
  readonly openBelow: (chroot: string) => OpenSession;
  /** Through a network that passes a kilobyte at a time. */
  readonly openTrickling: OpenSession;
  /** A port at which no server listens. */
  readonly openNowhere: OpenSession;
  /** A path that no other check uses. */
  readonly root: string;
  /** First requests pass and replies do not; then nothing passes. */
  readonly loseReplies: () => Promise<unknown>;
  readonly cut: () => Promise<unknown>;
  /** Replies take 300 ms. */
  readonly slow: () => Promise<unknown>;
  /** Connections end at both sides; new ones pass. */
  readonly reset: () => Promise<unknown>;
  readonly heal: () => Promise<unknown>;
}

export interface Check {
  readonly name: string;
  run(world: World): Promise<void>;
}

function soon(ms: number = OPEN_MS): number {
  return performance.now() + ms;
}

/** Resolves once `claim` is true; rejects if that takes too long. */
async function until(what: string, claim: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpMs = soon(20_000);
  while (!(await claim())) {
    if (performance.now() > giveUpMs) throw new Error(`never: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

function named(name: string, code?: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof Error &&
    error.name === name &&
    (code === undefined || ('code' in error && error.code === code));
}

function refused(code: string): (error: unknown) => boolean {
  return named('SessionReplyError', code);
}

async function opened(world: World): Promise<{ a: ZooKeeperSession; b: ZooKeeperSession }> {
  const [a, b] = await Promise.all([world.open(soon()), world.observe(soon())]);
  await b.create(world.root, '', { mode: 'persistent' });
  return { a, b };
}

async function exists(session: ZooKeeperSession, path: string): Promise<boolean> {
  const watched = await session.existsWatch(path, () => undefined);
  watched.unwatch();
  return watched.stat !== undefined;
}

export const CHECKS: readonly Check[] = [
  {
    name: 'nodes of every mode are made, with names, tokens and owners',
    async run(world) {
      const { a, b } = await opened(world);
      const container = await a.create(`${world.root}/c`, '', { mode: 'container' });
      const first = await a.create(`${world.root}/c/n-`, 'ä', { mode: 'ephemeral-sequential' });
      const second = await b.create(`${world.root}/c/n-`, '', { mode: 'ephemeral-sequential' });
      const plain = await a.create(`${world.root}/e`, 'e', { mode: 'ephemeral' });

      assert.match(first.path, /\/c\/n-0000000000$/);
      assert.match(second.path, /\/c\/n-0000000001$/);
      assert.ok(container.czxid < first.czxid && first.czxid < second.czxid);
      const { data, stat } = await b.read(first.path);
      assert.deepEqual([data, stat.czxid, stat.ephemeralOwner], ['ä', first.czxid, a.id]);
      assert.equal((await b.read(container.path)).stat.ephemeralOwner, 0n);
      assert.equal(plain.path, `${world.root}/e`);
      assert.deepEqual(
        new Set((await a.list(container.path)).children),
        new Set(['n-0000000000', 'n-0000000001']),
      );
    },
  },
  {
    name: 'a container goes when its last child has gone',
    async run(world) {
      const { a } = await opened(world);
      const container = await a.create(`${world.root}/c`, '', { mode: 'container' });
      const child = await a.create(`${container.path}/n`, '', { mode: 'ephemeral' });

      await a.delete(child.path);

      await until('reaped', async () => !(await exists(a, container.path)));
    },
  },
  {
    name: 'a refusal of the server has its code',
    async run(world) {
      const { a } = await opened(world);
      const made = await a.create(`${world.root}/e`, '', { mode: 'ephemeral' });

      await assert.rejects(a.read(`${world.root}/none`), refused('NONODE'));
      await assert.rejects(a.setData(`${world.root}/none`, ''), refused('NONODE'));
      await assert.rejects(a.create(made.path, '', { mode: 'ephemeral' }), refused('NODEEXISTS'));
      await assert.rejects(a.delete(world.root), refused('NOTEMPTY'));
      await assert.rejects(
        a.create(`${made.path}/x`, '', { mode: 'ephemeral' }),
        refused('NOCHILDRENFOREPHEMERALS'),
      );
    },
  },
  {
    name: 'a watch fires once, on a creation, a change or a deletion, and never after unwatch',
    async run(world) {
      const { a, b } = await opened(world);
      const path = `${world.root}/w`;
      const events: string[] = [];
      const missing = await a.existsWatch(path, () => events.push('created'));
      const dropped = await a.existsWatch(path, () => events.push('dropped'));
      dropped.unwatch();

      await b.create(path, '', { mode: 'persistent' });
      await until('created', () => events.length === 1);
      await b.setData(path, '1');
      const there = await a.existsWatch(path, () => events.push('changed'));
      await b.setData(path, '2');
      await until('changed', () => events.length === 2);
      await a.existsWatch(path, () => events.push('deleted'));
      await b.delete(path);
      await until('deleted', () => events.length === 3);

      await a.sync(path);
      assert.equal(missing.stat, undefined);
      assert.notEqual(there.stat, undefined);
      assert.deepEqual(events, ['created', 'changed', 'deleted']);
    },
  },
  {
    name: 'two watches of the same node both fire',
    async run(world) {
      const { a, b } = await opened(world);
      let calls = 0;
      const count = (): void => void (calls += 1);
      await a.existsWatch(world.root, count);
      await a.existsWatch(world.root, count);

      await b.setData(world.root, 'x');

      await until('both', () => calls === 2);
    },
  },
  {
    name: 'replies carry when their requests left, which answeredBefore tells later',
    async run(world) {
      const { a } = await opened(world);
      await world.slow();
      const beforeMs = performance.now();
      const { sentAt } = await a.sync(world.root);
      const afterMs = performance.now();

      assert.ok(sentAt.monotonicMs >= beforeMs && sentAt.monotonicMs < afterMs - 250);
      assert.ok(Math.abs(sentAt.wallMs - Date.now()) < 60_000);
      assert.ok(a.validated.monotonicMs <= beforeMs);
      const answered = a.answeredBefore(afterMs);
      assert.ok(answered !== undefined && answered.monotonicMs <= sentAt.monotonicMs);
      const early = a.answeredBefore(beforeMs);
      assert.ok(early === undefined || early.monotonicMs <= beforeMs);
    },
  },
  {
    name: 'a quiet session goes on being answered',
    async run(world) {
      const { a } = await opened(world);
      const sentMs = new Set<number>();

      await until('answers at leisure', () => {
        const answered = a.answeredBefore(performance.now());
        if (answered !== undefined) sentMs.add(answered.monotonicMs);
        return sentMs.size > 4;
      });

      assert.equal(a.state, 'connected');
    },
  },
  {
    name: 'a lost reply is a doubt, whatever became of the request',
    async run(world) {
      const { a, b } = await opened(world);
      await world.loseReplies();
      const path = `${world.root}/d`;

      const creating = a.create(path, '', { mode: 'ephemeral' });
      const doubted = assert.rejects(creating, named('SessionDoubt'));
      await until('it stands', () => exists(b, path));
      await world.reset();

      await doubted;
      await until('it is back', () => a.state === 'connected');
      assert.equal((await b.read(path)).stat.ephemeralOwner, a.id);
    },
  },
  {
    name: 'silence ends in doubt before the session could',
    async run(world) {
      const { a } = await opened(world);
      await world.cut();

      await assert.rejects(a.sync(world.root), named('SessionDoubt'));
      await assert.rejects(a.sync(world.root), named('SessionUnavailable'));
    },
  },
  {
    name: 'a session, its nodes and its watches survive a lost connection',
    async run(world) {
      const { a, b } = await opened(world);
      const { id, validated } = a;
      const states: SessionState[] = [];
      a.onState((state) => states.push(state));
      await a.create(`${world.root}/e`, '', { mode: 'ephemeral' });
      let calls = 0;
      await a.existsWatch(`${world.root}/later`, () => void (calls += 1));
      const beforeMs = performance.now();

      await world.reset();
      await until('both states', () => states.length >= 2);
      const connectedMs = performance.now();
      await b.create(`${world.root}/later`, '', { mode: 'persistent' });

      await until('the event', () => calls === 1);
      assert.deepEqual(states, ['disconnected', 'connected']);
      assert.equal(a.id, id);
      assert.ok(await exists(b, `${world.root}/e`));
      assert.ok(a.validated.monotonicMs > validated.monotonicMs);
      assert.ok(a.validated.monotonicMs >= beforeMs - 5 && a.validated.monotonicMs <= connectedMs);
    },
  },
  {
    name: 'a watch fires for a change that happened while there was no connection',
    async run(world) {
      const { a, b } = await opened(world);
      let calls = 0;
      await a.existsWatch(world.root, () => void (calls += 1));
      await world.cut();
      await b.setData(world.root, 'x');

      await world.reset();

      await until('the event', () => calls === 1);
    },
  },
  {
    name: 'an expired session says so when it hears of it, and tells its watches',
    async run(world) {
      const { a, b } = await opened(world);
      const path = `${world.root}/e`;
      await a.create(path, '', { mode: 'ephemeral' });
      const states: SessionState[] = [];
      a.onState((state) => states.push(state));
      let calls = 0;
      await a.existsWatch(`${world.root}/other`, () => void (calls += 1));

      await world.cut();
      await until('it is gone', async () => !(await exists(b, path)));
      assert.ok(!states.includes('expired'), 'nobody can know of it yet');
      await world.reset();

      await until('expired', () => a.state === 'expired');
      assert.deepEqual(states, ['disconnected', 'expired']);
      assert.equal(calls, 1);
      await assert.rejects(a.sync(world.root), named('SessionUnavailable'));
    },
  },
  {
    name: 'closing takes its nodes away at once, and is final',
    async run(world) {
      const { a, b } = await opened(world);
      await a.create(`${world.root}/e`, '', { mode: 'ephemeral' });
      const states: SessionState[] = [];
      a.onState((state) => states.push(state));
      let calls = 0;
      await a.existsWatch(`${world.root}/other`, () => void (calls += 1));

      await a.close({ timeoutMs: 2_000 });
      await a.close();
      await b.sync(world.root);

      assert.ok(!(await exists(b, `${world.root}/e`)));
      assert.deepEqual(states, ['closed']);
      assert.equal(calls, 1);
      await assert.rejects(a.sync(world.root), named('SessionUnavailable'));
    },
  },
  {
    name: 'closing that leaves its nodes is final here, and they stay until the session has expired',
    async run(world) {
      const { a, b } = await opened(world);
      const path = `${world.root}/left`;
      await a.create(path, '', { mode: 'ephemeral' });
      const from = performance.now();

      await a.close({ leavesNodes: true });
      assert.equal(a.state, 'closed');
      await assert.rejects(a.sync(world.root), named('SessionUnavailable'));

      await until('it is gone', async () => !(await exists(b, path)));
      const tookMs = performance.now() - from;
      assert.ok(tookMs > a.timeoutMs / 2, `gone after ${tookMs} ms of ${a.timeoutMs}`);
    },
  },
  {
    name: 'below a chroot paths are reported as the caller knows them',
    async run(world) {
      const { b } = await opened(world);
      const below = await world.openBelow(world.root)(soon());
      let calls = 0;
      await below.existsWatch('/n', () => void (calls += 1));

      const made = await below.create('/n', 'x', { mode: 'ephemeral' });
      await until('the event', () => calls === 1);

      assert.equal(made.path, '/n');
      assert.equal((await b.read(`${world.root}/n`)).data, 'x');
      assert.deepEqual((await below.list('/')).children, ['n']);
      await below.close();
    },
  },
  {
    name: 'a list of thousands of names comes whole, in whatever pieces',
    async run(world) {
      const { a } = await opened(world);
      const path = `${world.root}/many-`;
      const create = () => a.create(path, '', { mode: 'ephemeral-sequential' });
      // Not all at once: a busy server replies in bursts, and the session timeout is short.
      for (let made = 0; made < NAMES; made += 250)
        await Promise.all(Array.from({ length: 250 }, create));

      const c = await world.openTrickling(soon());
      const { children } = await c.list(world.root);

      assert.equal(children.length, NAMES);
      assert.equal(c.state, 'connected');
    },
  },
  {
    name: 'where no server answers, opening ends by its deadline',
    async run(world) {
      await assert.rejects(world.openNowhere(soon(500)), named('SessionUnavailable'));
    },
  },
];
