import { Session } from '@holdfast/zk-client';
import { afterEach, expect, test, vi } from 'vitest';
import { Proxy, ZooKeeperEnsemble } from '../../harness/test/kit/real-servers.ts';
import { Ear, sessionName } from '../deep/servers/support/zk-chaos/ear.ts';
import { Expiries, type Expiry, verdictOf } from '../deep/servers/support/zk-chaos/expiries.ts';
import { type Claim, Reigns } from '../deep/servers/support/zk-chaos/reigns.ts';

/** Tests the judge of expiries of the chaos in `test/deep`. */

const T_MS = 2_000;
/** Against hanging. */
const PATIENCE = { timeout: 30_000, interval: 20 };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A session at the leader of three servers. A leader without replies continues for longer than the session lives. */
async function scene(): Promise<{
  ensemble: ZooKeeperEnsemble;
  proxy: Proxy;
  session: Session;
  expiries: Expiries;
}> {
  const ensemble = await ZooKeeperEnsemble.start({ tickMs: 200, syncLimit: 60 });
  closing.push(() => ensemble.close());
  const leader = await ensemble.leader();
  if (leader === undefined) throw new Error('there is no leader');
  const ear = new Ear();
  const proxy = await Proxy.start(leader.port, ear.at(ensemble.servers.indexOf(leader)));
  closing.push(() => proxy.close());
  const reigns = new Reigns(ensemble);
  closing.push(() => reigns.close());
  const servers = [`127.0.0.1:${proxy.port}`];
  const session = await Session.open({ servers, sessionTimeoutMs: T_MS });
  closing.push(() => session.close());
  await session.create('/ephemeral', '', { mode: 'ephemeral' });
  return { ensemble, proxy, session, expiries: new Expiries(ensemble, ear, reigns) };
}

test('a session that the leader has ended, and whose nodes still exist, has truly expired', {
  timeout: 60_000,
}, async () => {
  const { ensemble, proxy, session, expiries } = await scene();
  const leader = await ensemble.leader();
  const followers = ensemble.servers.filter((server) => server !== leader);
  session.onState((state) => {
    if (state === 'expired') expiries.add(sessionName(session.id));
  });

  proxy.cut();
  // The leader can decide on the end of the session, but not commit it.
  for (const follower of followers) follower.stop();
  await vi.waitUntil(() => session.state === 'disconnected', PATIENCE);
  await new Promise((done) => setTimeout(done, T_MS));
  proxy.heal({ drop: true });
  await vi.waitUntil(() => session.state === 'expired', PATIENCE);
  const [expiry] = await expiries.all();
  for (const follower of followers) follower.resume();

  expect(expiry?.word).toBeDefined();
  expect(expiry?.looks).toContainEqual(expect.objectContaining({ isKnown: false, hasNodes: true }));
  expect(expiry?.looks).not.toContainEqual(expect.objectContaining({ isKnown: true }));
  expect(expiry && verdictOf(expiry)).toBe('truly');
});

test('a session that is given up without a word of a server was given up falsely', {
  timeout: 60_000,
}, async () => {
  const { session, expiries } = await scene();

  expiries.add(sessionName(session.id));
  const [expiry] = await expiries.all();

  expect(expiry?.looks).toContainEqual(expect.objectContaining({ isKnown: true }));
  expect(expiry && verdictOf(expiry)).toBe('falsely');
});

function claim(epoch: number): Claim {
  return { server: 0, mode: 'leader', epoch, atMs: 0 };
}

/** Server 0 said so in one of these epochs. Leaders of epochs `knows` know the session, those of `knowsNot` do not. */
function evidence(
  tellers: readonly number[],
  { knows, knowsNot }: { readonly knows: readonly number[]; readonly knowsNot: readonly number[] },
): Expiry {
  const look = (isKnown: boolean) => (epoch: number) => ({
    leader: claim(epoch),
    isKnown,
    hasNodes: true,
  });
  return {
    session: '0x1',
    reportedMs: 0,
    word: { session: '0x1', server: 0, atMs: 0 },
    teller: tellers.map(claim),
    looks: [...knows.map(look(true)), ...knowsNot.map(look(false))],
  };
}

test.each([
  ['that nobody knows any more', evidence([3], { knows: [], knowsNot: [3, 3] }), 'truly'],
  ['that was touched for the last time', evidence([3], { knows: [3], knowsNot: [3] }), 'truly'],
  ['that the same reign continues', evidence([3], { knows: [3, 3], knowsNot: [] }), 'falsely'],
  [
    'that a later reign continues',
    evidence([3, 4], { knows: [4, 4], knowsNot: [] }),
    'by the deposed',
  ],
] as const)(
  'an expiry of a session %s is judged by the server that reported it',
  (_, expiry, verdict) => {
    expect(verdictOf(expiry)).toBe(verdict);
  },
);
