import { CHECKS } from '@holdfast/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child, type ProcessEnd } from '../support/child.ts';
import { NativeWorld } from './zk-native.ts';

/** T: long enough for a busy machine to answer within a third of it. */
const T_MS = 1_500;

interface Told {
  readonly check: string;
  readonly kind: string;
  readonly reason?: string;
}

function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null && 'check' in message;
}

/** In a process of its own: the library is known to abort, which must be reported as its own failure. */
describe('zk, through npm zookeeper, on one server', () => {
  let world: NativeWorld;
  let told: readonly Told[] = [];
  let end: ProcessEnd;

  beforeAll(async () => {
    world = await NativeWorld.start();
    const child = await Child.start('contract/zk-native-process.ts', {
      args: [`${T_MS}`],
      serve: world.served,
    });
    end = await child.ended;
    told = child.received.filter(isTold);
  }, 300_000);

  afterAll(() => world.close());

  test.for(CHECKS.map(({ name }) => name))('%s', (name, { skip }) => {
    const [started, outcome] = told.filter(({ check }) => check === name);

    const when = started === undefined ? 'before it' : 'in it';
    const aborted = `the process ended ${when}: ${end.signal ?? end.code} ${end.errors}`;
    if (outcome?.kind === 'skipped') skip(outcome.reason);
    expect(outcome?.kind ?? aborted, outcome?.reason).toBe('kept');
  });
});
