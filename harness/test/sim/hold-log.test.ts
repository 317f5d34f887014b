import { expect, test } from 'vitest';
import { HoldLog } from '../../src/sim/hold-log.ts';

const GONE = Number.NEGATIVE_INFINITY;

function log() {
  const clock = { nowMs: 0 };
  const holds = new HoldLog({
    nowMs: () => clock.nowMs,
    renewals: ['renew'],
    holdOf: (owner) => owner.split(':')[0] ?? owner,
    attemptOf: (owner) => Number(owner.split(':')[1]),
  });
  return { clock, holds, line: (of: string) => holds.timelinesOf(of)?.get('n1') ?? [] };
}

test('stored values, their expiry, and the end by their own holder are recorded in order', () => {
  const { clock, holds, line } = log();
  holds.request = { client: 'a', label: 'acquire' };
  holds.note('n1', 'k', 'x:1', 500);
  clock.nowMs = 100;
  holds.request = { client: 'a', label: 'release' };
  holds.note('n1', 'k', undefined);

  expect(line('x:1')).toEqual([
    { atMs: 0, untilMs: 500, isOwn: false, isMade: false },
    { atMs: 100, untilMs: GONE, isOwn: true, isMade: false },
  ]);
});

test('a hold that another client ends is not ended by its own holder', () => {
  const { holds, line } = log();
  holds.request = { client: 'a', label: 'acquire' };
  holds.note('n1', 'k', 'x:1', 500);
  holds.request = { client: 'b', label: 'acquire' };
  holds.note('n1', 'k', 'y:1', 900);

  expect(line('x:1').at(-1)).toMatchObject({ untilMs: GONE, isOwn: false });
});

test('a renewal creates a hold where none was stored any more, and none where it prolongs one', () => {
  const { clock, holds, line } = log();
  holds.request = { client: 'a', label: 'acquire' };
  holds.note('n1', 'k', 'x:1', 500);
  holds.request = { client: 'a', label: 'renew' };
  clock.nowMs = 400;
  holds.note('n1', 'k', 'x:1', 900);
  clock.nowMs = 901;
  holds.note('n1', 'k', 'x:1', 1_900);

  expect(line('x:1').map(({ isMade }) => isMade)).toEqual([false, false, true]);
});

test('a value that heals a hold belongs to it, and a value that the server lost is gone', () => {
  const { holds, line } = log();
  holds.note('n1', 'k', 'x:1', 500);
  holds.note('n1', 'k', 'x:2', 700);
  holds.keepOnly('n1', new Set());

  expect(line('x:1').map(({ untilMs }) => untilMs)).toEqual([500, GONE, 700, GONE]);
});

test('an attempt before the granted one does not belong to the hold, even if a server restarts with it', () => {
  const { clock, holds, line } = log();
  holds.note('n1', 'k', 'x:1', 500);
  clock.nowMs = 100;
  holds.note('n1', 'k', undefined);
  clock.nowMs = 200;
  holds.note('n1', 'k', 'x:2', 700);
  clock.nowMs = 300;
  holds.note('n1', 'k', 'x:1', 500);

  expect(line('x:2').map(({ atMs, untilMs }) => [atMs, untilMs])).toEqual([
    [200, 700],
    [300, GONE],
  ]);
});

test('a value that healing has replaced no longer belongs to the hold, even if a server restarts with it', () => {
  const { clock, holds, line } = log();
  holds.note('n1', 'k', 'x:1', 500);
  holds.note('n1', 'k', 'x:2', 700);
  clock.nowMs = 300;
  holds.note('n1', 'k', 'x:1', 500);

  expect(line('x:1').at(-1)).toMatchObject({ atMs: 300, untilMs: GONE });
});

test('every value of a key is recorded, with its expiry and whether a client had sent it', () => {
  const { clock, holds } = log();
  const of = { server: 'n1', key: 'k' };
  holds.request = { client: 'a', label: 'acquire' };
  holds.note('n1', 'k', 'x:1', 500);
  holds.request = undefined;
  clock.nowMs = 100;
  holds.note('n1', 'k', 'x:1', 900);
  clock.nowMs = 200;
  holds.note('n1', 'k', undefined);

  expect(holds.storedValues).toEqual([
    { ...of, owner: 'x:1', atMs: 0, untilMs: 500, toMs: 100, isFromClient: true },
    { ...of, owner: 'x:1', atMs: 100, untilMs: 900, toMs: 200, isFromClient: false },
  ]);
});
