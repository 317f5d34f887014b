import { type EngineReply, RedisEngine } from '@holdfast/harness/simulator';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandSequences } from '../parity/support/command-sequences.ts';

/** Everything that the keys of the generated sequences hold, with the times they end. */
function contents(engine: RedisEngine): EngineReply[] {
  const keys = ['k1', 'k2', 'k3'];
  const reads = keys.flatMap((key) => [
    ['TYPE', key],
    ['PEXPIRETIME', key],
    ['GET', key],
    ['HGETALL', key],
    ['LRANGE', key, '0', '-1'],
    ['SMEMBERS', key],
    ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  ]);
  return reads.map((command) => engine.execute(command));
}

test('a replica that applies the effects, later and by another clock, holds what the master holds', () => {
  fc.assert(
    fc.property(
      commandSequences,
      fc.integer({ min: -100_000_000, max: 100_000_000 }),
      (commands, skewMs) => {
        const effects: (readonly string[])[] = [];
        let nowMs = 1_790_000_000_000;
        const options = { nowUs: () => nowMs * 1000, runId: 'a'.repeat(40), publish: () => 0 };
        const master = new RedisEngine({ ...options, wrote: (effect) => effects.push(effect) });
        for (const command of commands) {
          master.execute(command);
          nowMs += 1;
        }
        const replica = new RedisEngine({ ...options, nowUs: () => (nowMs + skewMs) * 1000 });
        replica.role = 'replica';
        // Reading on the master deletes expired keys and replicates that; the replica is then read by the master's clock.
        const expected = contents(master);

        for (const effect of effects) replica.apply(effect);
        replica.role = 'master';
        const promoted = new RedisEngine(options);
        promoted.restore(replica.snapshot());

        expect(contents(promoted)).toEqual(expected);
      },
    ),
    { numRuns: 500, seed: 1 },
  );
});
