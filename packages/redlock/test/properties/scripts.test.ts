import type { EngineReply } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { ScriptServer } from '../../../../test/support/script-server.ts';
import { ACQUIRE, FORCE, INTRODUCE, RELEASE, RENEW } from '../../src/scripts.ts';

const READ_ONLY = { error: expect.stringContaining('READONLY') };

function acquire(at: ScriptServer, owner: string): EngineReply {
  return at.run(ACQUIRE, ['lock'], [owner, '1000']);
}

test('a vote is taken from an earlier attempt, and from no attempt of the same number', () => {
  const at = new ScriptServer();
  acquire(at, 'c1:2:box');

  expect(acquire(at, 'c1:2:box')).toBe(1000);
  expect(acquire(at, 'c1:1:box')).toBe(1000);
  expect(acquire(at, 'c1:3:box')).toBe('agreed');
});

describe('a replica, whose data may be old, refuses', () => {
  test('a release of what it does not have', () => {
    const at = ScriptServer.replica();

    expect(at.run(RELEASE, ['lock', 'channel'], ['c1:1:box'])).toEqual(READ_ONLY);
  });

  test.each([
    ['of what it does not have', undefined],
    ['that has nothing to lengthen', 'c1:1:box'],
  ])('a renewal %s', (_, value) => {
    const at = ScriptServer.replica(value);

    expect(at.run(RENEW, ['lock', 'channel'], ['c1:1:box', '1000'])).toEqual(READ_ONLY);
  });

  test('a forced release of what it does not have', () => {
    expect(ScriptServer.replica().run(FORCE, ['lock', 'channel'])).toEqual(READ_ONLY);
  });
});

test('a forced release wakes the waiters', () => {
  const at = new ScriptServer();
  acquire(at, 'c1:1:box');

  expect(at.run(FORCE, ['lock', 'channel'])).toBe(1);
  expect(at.published).toEqual(['forced']);
});

test('a list of nodes is stored for later clients, and a client with another list sees the stored one', () => {
  const at = new ScriptServer();
  const introduce = (list: string): EngineReply => at.run(INTRODUCE, ['list'], [list, '5000']);

  expect(introduce('a b c')).toBe('a b c');
  expect(at.engine.execute(['PTTL', 'list'])).toBe(5000);
  expect(introduce('a b d')).toBe('a b c');
  expect(introduce('a b c')).toBe('a b c');
});
