import type { EngineReply } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { NOW_US, ScriptServer } from '../../../../test/support/script-server.ts';
import { ACQUIRE, FORCE, RELEASE, RENEW } from '../../src/scripts.ts';

const READ_ONLY = { error: expect.stringContaining('READONLY') };

function acquire(at: ScriptServer, owner = 'c1:1:box'): EngineReply {
  return at.run(ACQUIRE, ['lock', 'fence'], [owner, '1000']);
}

describe('the acquire script', () => {
  test('gives the server’s time in µs as a token, and keeps it for a day beyond', () => {
    const at = new ScriptServer();

    expect(acquire(at)).toBe(`${NOW_US}`);
    expect(at.engine.execute(['GET', 'fence'])).toBe(`${NOW_US}`);
    expect(at.engine.execute(['PEXPIRETIME', 'fence'])).toBe(
      Math.floor(NOW_US / 1000) + 86_400_000,
    );
  });

  test.each([
    ['the same', NOW_US, NOW_US + 1],
    ['a later', NOW_US + 7, NOW_US + 8],
    ['an earlier', NOW_US - 7, NOW_US],
  ])('counts on from %s token', (_, stored, token) => {
    const at = new ScriptServer();
    at.engine.execute(['SET', 'fence', `${stored}`]);

    expect(acquire(at)).toBe(`${token}`);
  });

  test.each(['abc', '9007199254740991', '9007199254740993', '1e300'])(
    'leaves a fence of %s alone: it is no token, or the last that can be counted on from',
    (stored) => {
      const at = new ScriptServer();
      at.engine.execute(['SET', 'fence', stored]);

      expect(acquire(at)).toBe(-3);
      expect(at.engine.execute(['EXISTS', 'lock'])).toBe(0);
    },
  );

  test('takes the key from an earlier attempt, and from no attempt of the same number', () => {
    const at = new ScriptServer();
    acquire(at, 'c1:2:box');

    expect(acquire(at, 'c1:2:box')).toBe(1000);
    expect(acquire(at, 'c1:1:box')).toBe(1000);
    expect(acquire(at, 'c1:3:box')).toBe(`${NOW_US + 1}`);
  });
});

describe('a replica, whose data may be old, refuses', () => {
  test('a release of what it does not have', () => {
    expect(ScriptServer.replica().run(RELEASE, ['lock', 'channel'], ['c1:1:box'])).toEqual(
      READ_ONLY,
    );
  });

  test('a renewal of what it does not have', () => {
    expect(ScriptServer.replica().run(RENEW, ['lock', 'channel'], ['c1:1:box', '1000'])).toEqual(
      READ_ONLY,
    );
  });

  test('a renewal that has nothing to lengthen', () => {
    const at = ScriptServer.replica('c1:1:box');

    expect(at.run(RENEW, ['lock', 'channel'], ['c1:1:box', '1000'])).toEqual(READ_ONLY);
  });

  test('a forced release of what it does not have', () => {
    expect(ScriptServer.replica().run(FORCE, ['lock', 'channel'])).toEqual(READ_ONLY);
  });
});

describe('a cluster', () => {
  const owner = 'c1:1:box';

  test.each([
    ['release', RELEASE, [owner], ['released']],
    ['renewal', RENEW, [owner, '5000'], []],
    ['forced release', FORCE, [], ['forced']],
  ])(
    'serves a %s that declares the lock alone, which exists wherever its slot moves',
    (_, { onCluster }, args, published) => {
      const at = new ScriptServer();
      acquire(at, owner);

      // A node refuses a declared key that it does not have, and a channel is never a key.
      expect(onCluster?.keys).toBe(1);
      expect(onCluster && at.run(onCluster, ['lock'], ['channel', ...args])).toBe(1);
      expect(at.published).toEqual(published);
    },
  );
});

test('a forced release wakes the waiters', () => {
  const at = new ScriptServer();
  acquire(at);

  expect(at.run(FORCE, ['lock', 'channel'])).toBe(1);
  expect(at.published).toEqual(['forced']);
});
