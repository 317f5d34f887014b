import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnknownOutcomeError } from '../src/errors.ts';
import type { NetworkSession } from '../src/session.ts';
import { Stage } from './by-hand.ts';
import { outcomesOf, readRecording, sendScene } from './support/recorded-scene.ts';

const { greeting, rest } = readRecording();
const GREETING = new Uint8Array(Buffer.from(greeting, 'hex'));
const REST = new Uint8Array(Buffer.from(rest, 'hex'));

interface Mutation {
  readonly at: number;
  readonly how: 'change' | 'insert' | 'remove';
  readonly byte: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: REST.length - 1 }),
  how: fc.constantFrom('change', 'insert', 'remove'),
  // What makes lengths huge, negative or zero more often than chance would.
  byte: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 0x7f, 0x80, 0xff)),
});

function mutated(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  const all = [...bytes];
  for (const { at, how, byte } of mutations) {
    if (how === 'change') all[at % all.length] = byte;
    else if (how === 'insert') all.splice(at % all.length, 0, byte);
    else if (all.length > 1) all.splice(at % all.length, 1);
  }
  return new Uint8Array(all);
}

/** Delivers bytes in pieces of these sizes, round and round. */
function deliver(stage: Stage, bytes: Uint8Array, sizes: readonly number[]): void {
  const { wire } = stage;
  for (let at = 0, i = 0; at < bytes.length && !wire.isDestroyed; i++) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    wire.events.bytes(bytes.slice(at, at + size));
    at += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 });

/** The session can be used again: on the connection that it has, or on the next one. */
async function proveUsable(stage: Stage, session: NetworkSession): Promise<void> {
  if (session.state === 'connected') stage.wire.lose();
  stage.untilDialled();
  stage.wire.welcome({ id: session.id });
  const synced = session.sync('/');
  const zxid = 1n;
  stage.wire.answer(stage.wire.last, (writer) => writer.string('/'), zxid);
  expect((await synced).zxid).toBe(zxid);
}

/** The session of the recording, with all its requests on the wire. */
async function onStage(): Promise<{
  stage: Stage;
  session: NetworkSession;
  requests: Promise<unknown>[];
}> {
  const stage = new Stage();
  const opening = stage.begin();
  stage.wire.events.up();
  stage.wire.events.bytes(GREETING);
  const session = await opening;
  const requests = sendScene(session, () => undefined);
  return { stage, session, requests };
}

const whole = onStage().then(({ stage, requests }) => {
  deliver(stage, REST, [REST.length]);
  return outcomesOf(requests);
});

describe('recorded replies of a real server', () => {
  test('come to the same however they were split', async () => {
    const expected = await whole;
    expect(expected.filter((outcome) => outcome.startsWith('{'))).toHaveLength(13);

    await fc.assert(
      fc.asyncProperty(sizes, async (pieces) => {
        const { stage, requests } = await onStage();

        deliver(stage, REST, pieces);

        expect(await outcomesOf(requests)).toEqual(expected);
      }),
    );
  });

  test('with bytes changed, inserted or lost come to an end for all who wait, and the session goes on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        sizes,
        async (mutations, pieces) => {
          const { stage, session, requests } = await onStage();

          deliver(stage, mutated(REST, mutations), pieces);
          // Some mutations leave the client waiting for bytes that never come: silence ends that.
          stage.clock.pass(session.timeoutMs);

          expect(await outcomesOf(requests)).toHaveLength(requests.length);
          if (session.state !== 'auth-failed') await proveUsable(stage, session);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('cut off anywhere leave in doubt exactly those who had no reply', async () => {
    const expected = await whole;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: REST.length - 1 }), async (end) => {
        const { stage, requests } = await onStage();

        deliver(stage, REST.subarray(0, end), []);
        stage.wire.lose();

        // The identity is answered out of line.
        const settled = (await Promise.allSettled(requests)).slice(1);
        const texts = (await outcomesOf(requests)).slice(1);
        const inDoubt = settled.map(
          (each) => each.status === 'rejected' && each.reason instanceof UnknownOutcomeError,
        );
        const answered = inDoubt.indexOf(true);
        expect(texts.slice(0, answered)).toEqual(expected.slice(1, answered + 1));
        expect(inDoubt.slice(answered)).not.toContain(false);
      }),
    );
  });
});

test('a greeting that was mutated neither crashes nor hangs the opening', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const stage = new Stage();
      const opening = stage.begin({ openMs: 1_000 }).then(
        (session) => session.state,
        (error: { code?: string }) => error.code,
      );
      stage.wire.events.up();

      deliver(stage, mutated(GREETING, mutations), []);
      stage.clock.pass(1_000);

      // Disconnected: the session timeout was among what was mutated, and is over.
      expect(['connected', 'disconnected', 'NO_SERVER']).toContain(await opening);
    }),
    { numRuns: 500 },
  );
});
