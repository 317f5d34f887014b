import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { graceLimitMs } from '../../src/cli/run/grace.ts';
import { RUN_OPTIONS, type RunRequest, readRunRequest } from '../../src/cli/run/run-request.ts';
import { main } from '../kit.ts';

const request = (...args: readonly string[]): RunRequest =>
  readRunRequest(parseArguments(['k', '--on', 'memory:', ...args, '--', 'true'], RUN_OPTIONS), {});

test('all after the dashes is the command', () => {
  const args = ['k', '--on', 'memory:', '--', 'ls', '--help', '--', '-l'];
  const { key, command } = readRunRequest(parseArguments(args, RUN_OPTIONS), {});

  expect(key).toBe('k');
  expect(command).toEqual(['ls', '--help', '--', '-l']);
});

test.each([
  [[], { waitMs: undefined, again: false, statuses: { busy: 75, down: 69, lost: 70 } }],
  [['--no-wait'], { waitMs: 0 }],
  [['--wait', '1.5s'], { waitMs: 1_500 }],
  [['--wait', 'forever'], { waitMs: Number.POSITIVE_INFINITY }],
  [['--again'], { waitMs: Number.POSITIVE_INFINITY, again: true }],
  [['--again', '--wait', '2m'], { waitMs: 120_000 }],
  [
    ['--keep', '1h', '--ttl', '500ms', '--grace', '0s'],
    { keepMs: 3_600_000, ttlMs: 500, graceMs: 0 },
  ],
  [['--lost-status', '255'], { statuses: { busy: 75, down: 69, lost: 255 } }],
])('%j is read as %j', (args, expected) => {
  expect(request(...args)).toMatchObject(expected);
});

test.each([
  [['--wait', '5'], '--wait needs a duration with its unit, not "5"'],
  [['--ttl', '-1s'], '--ttl needs a duration with its unit, not "-1s"'],
  [['--busy-status', '256'], '--busy-status needs a number from 0 to 255, not "256"'],
  [['--no-wait', '--wait', '1s'], '--no-wait and --wait: use one of them'],
  [['--keep', '1s', '--wait', '1s'], '--keep and --wait: a run that waited'],
  [['--config', 'x.json'], 'use --on or --config, not both'],
])('%j is refused: %s', (args, message) => {
  expect(() => request(...args)).toThrow(message);
});

class Console {
  readonly env: NodeJS.ProcessEnv = {};
  readonly lines: string[] = [];
  readonly stdout = { write: (text: string): unknown => this.lines.push(text) };
  readonly stderr = this.stdout;
}

describe('holdfast run refuses, and opens nothing,', () => {
  /** Nothing listens there: what is sent would end as a store that gives no answer. */
  const redis = ['--on', 'redis://127.0.0.1:1', '--no-wait'];

  test.each([
    [['run', 'k', ...redis], 'name one key, and the command after --'],
    [['run', 'k', 'ls', ...redis, '--', 'ls'], 'name one key'],
    [['run', 'k', ...redis, '--ttl', '30s', '--grace', '9s', '--', 'ls'], 'Use at most 8849ms'],
    [['run', 'k', ...redis, '--ttl', '1s', '--grace', '278ms', '--', 'ls'], 'Use at most 277ms'],
    [['run', 'k\n', ...redis, '--', 'ls'], 'control character'],
    [
      ['run', 'k', ...redis, '--ttl', '5ms', '--', 'ls'],
      'ttlMs must be a whole number of ms from 100',
    ],
    [
      ['run', 'k', '--on', 'zk://127.0.0.1:1', '--keep', '60s', '--', 'ls'],
      '--keep: all leases on zk',
    ],
    [
      ['run', 'k', '--on', 'zk://127.0.0.1:1', '--ttl', '9s', '--', 'ls'],
      '--ttl: all leases on zk',
    ],
  ])('%j', async (args, message) => {
    const io = new Console();

    expect(await main(args, io)).toBe(2);
    expect(io.lines.join('')).toContain(message);
  });
});

test('the longest grace leaves half of what a lease has left when its renewal is answered late', () => {
  expect(graceLimitMs(29_698, 30_000)).toBe((29_698 - 10_000 - 2_000) / 2);
});
