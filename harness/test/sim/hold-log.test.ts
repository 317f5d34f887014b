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

test('what stands, for how long, and that its own holder ended it, are written down in order', () => {
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

test('a hold that another puts an end to is not ended by its own holder', () => {
  const { holds, line } = log();
  holds.request = { client: 'a', label: 'acquire' };
  holds.note('n1', 'k', 'x:1', 500);
  holds.request = { client: 'b', label: 'acquire' };
  holds.note('n1', 'k', 'y:1', 900);

  expect(line('x:1').at(-1)).toMatchObject({ untilMs: GONE, isOwn: false });
});

test('a renewal makes a hold where none stood any more, and none where it lengthens one', () => {
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

test('what heals a hold belongs to it, and what the server lacks is gone', () => {
  const { holds, line } = log();
  holds.note('n1', 'k', 'x:1', 500);
  holds.note('n1', 'k', 'x:2', 700);
  holds.keepOnly('n1', new Set());

  expect(line('x:1').map(({ untilMs }) => untilMs)).toEqual([500, GONE, 700, GONE]);
});

test('an attempt before the one that was granted is none of the hold, though a server comes back with it', () => {
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

test('what healing has replaced is none of the hold any more, though a server comes back with it', () => {
  const { clock, holds, line } = log();
  holds.note('n1', 'k', 'x:1', 500);
  holds.note('n1', 'k', 'x:2', 700);
  clock.nowMs = 300;
  holds.note('n1', 'k', 'x:1', 500);

  expect(line('x:1').at(-1)).toMatchObject({ atMs: 300, untilMs: GONE });
});

test('all that stood under a key is written down, until when, and whether a client had sent it', () => {
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
