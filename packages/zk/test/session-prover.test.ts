import { describe, expect, test } from 'vitest';
import { layoutOf } from '../src/keys.ts';
import { SessionReplyError } from '../src/port.ts';
import { LeaderReplies } from '../src/proof-of-life.ts';
import { SessionProver } from '../src/session-prover.ts';
import { CrowdPacer } from '../src/store.ts';
import { type Actor, Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

const SESSION_NODE = '/holdfast/v1/sessions/0x101';

async function holding(
  options = {},
): Promise<{ at: Bench; a: Actor; renew: () => Promise<unknown> }> {
  const at = new Bench();
  const a = await at.actor('a', options);
  const grant = await a.take('c1');
  a.asked();
  return { at, a, renew: () => at.let(grant.renew(T_MS)) };
}

describe('the node of a session', () => {
  test('is its creator’s alone where all nodes are: nobody else may remove it', async () => {
    const { a, renew } = await holding({ acl: 'creator' });
    const { session } = a;
    const create = session.create.bind(session);
    const made: unknown[] = [];
    session.create = (path, data, options) => {
      made.push(options);
      return create(path, data, options);
    };

    await renew();

    const may = ['read', 'write', 'create', 'delete', 'admin'];
    expect(made).toEqual([{ mode: 'ephemeral', acl: [{ who: 'creator', may }] }]);
  });

  test('is made with all that it stands under, where that has gone', async () => {
    const { at, renew } = await holding();
    at.tree.nodes.delete('/holdfast/v1/sessions');

    expect(await renew()).toMatchObject({ kind: 'renewed' });
    expect(at.tree.nodes.has(SESSION_NODE)).toBe(true);
  });

  test('that has nothing to be made in any more leaves a renewal unknown, which says so', async () => {
    const { a, renew } = await holding();
    const gone = new SessionReplyError('NONODE', 'the chroot has gone');
    for (let i = 0; i < 5; i++) a.session.next('create', gone);

    expect(await renew()).toMatchObject({
      kind: 'unknown',
      cause: { message: expect.stringMatching(/chroot does not exist/) },
    });
    expect(a.asked()).toHaveLength(5);
  });

  test('that may not be made leaves a renewal unknown, with what the server said', async () => {
    const { a, renew } = await holding();
    a.session.next('create', new SessionReplyError('NOAUTH', 'no'));

    expect(await renew()).toMatchObject({ kind: 'unknown', cause: { code: 'NOAUTH' } });
    expect(a.asked()).toEqual(['create 0x101']);
  });

  test('that may not be written leaves a renewal unknown, with what the server said', async () => {
    const { at, a, renew } = await holding();
    await renew();
    await at.runtime.pass(T_MS / 3);
    a.asked();
    a.session.next('setData', new SessionReplyError('NOAUTH', 'no'));

    expect(await renew()).toMatchObject({ kind: 'unknown', cause: { code: 'NOAUTH' } });
    expect(a.asked()).toEqual(['setData 0x101']);
  });
});

/** The proofs of a session which its leader validated a moment ago, and has not answered yet. */
async function fresh(): Promise<{ at: Bench; session: HandSession; proof: SessionProver }> {
  const at = new Bench();
  const { host } = await at.actor('a');
  const session = new HandSession(at.tree, at.runtime, 0x101n, T_MS);
  const store = {
    host,
    layout: layoutOf('holdfast'),
    acl: undefined,
    pacer: new CrowdPacer(host.runtime),
    warnForeignNodes: (): void => {},
  };
  return { at, session, proof: new SessionProver(session, store, new LeaderReplies(session)) };
}

/** Of its 0.95 T, after which a fifth of T is left: what a renewal needs. */
const SPENT_MS = 0.75 * T_MS;

describe('a proof', () => {
  test('is one write while that will prove what a renewal needs', async () => {
    const { at, session, proof } = await fresh();
    await at.runtime.pass(SPENT_MS);

    await at.let(proof.prove());

    expect(session.asked).toEqual(['create 0x101']);
  });

  test('asks first where it would prove less by the time of its answer, as long as the leader takes now', async () => {
    const { at, session, proof } = await fresh();
    const asking = proof.syncWithLeader();
    at.runtime.block(600);
    await at.let(asking);
    await at.runtime.pass(session.validated.monotonicMs + SPENT_MS - 300 - nowMs(at));
    session.asked.length = 0;

    await at.let(proof.prove());

    expect(session.asked).toEqual(['sync locks', 'create 0x101']);
  });
});

test('the leader is asked first each time that a creation would prove too little', async () => {
  const { at, session, proof } = await fresh();

  for (let times = 1; times <= 2; times++) {
    await at.runtime.pass(T_MS);
    await at.let(Promise.all([proof.prepare(), proof.prepare()]));

    expect(session.asked).toEqual(Array.from({ length: times }, () => 'sync locks'));
  }
});

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}
