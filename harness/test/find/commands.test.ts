import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FAULT_IDS,
  parseStory,
  type Story,
  storyFromString,
  storyToString,
} from '@holdfast/harness/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../../../packages/holdfast/test/kit.ts';
import { Console } from '../support/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-find-'));
const path = join(folder, 'stories', 'failover.json');
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<Console & { readonly code: number }> {
  const console = new Console();
  return Object.assign(console, { code: await main(args, console) });
}

let found: Awaited<ReturnType<typeof run>>;
let story: Story;

beforeAll(async () => {
  found = await run('find', 'redis-simple', '--fault', 'failover', '--out', path);
  story = parseStory(JSON.parse(readFileSync(path, 'utf8')));
}, 60_000);

describe('find', () => {
  test('says first what became of the lock, then tells the story and how to replay it', () => {
    const lines = found.out.split('\n');

    expect(found.code).toBe(0);
    expect(lines[0]).toBe('LOCK BROKEN: two valid holders');
    expect(lines[1]).toBe('✗ redis-simple, fault failover');
    expect(found.out).toContain('↯ dies with what it has not replicated');
    expect(found.out).toContain('◀ broken');
    expect(found.out).toMatch(
      /because the replica that took over did\s+not\s+know\s+of\s+the\s+lock/,
    );
    expect(found.out).toContain(`npx holdfast replay ${path}`);
    expect(storyFromString(/npx holdfast replay (r1\.\S+)/.exec(found.out)?.[1] ?? '')).toEqual(
      story,
    );
    expect(found.out).not.toContain('\u001B');
  });

  test('makes stories that are small: at most three clients, two faults', () => {
    expect(story).toMatchObject({
      v: 1,
      backend: 'redis-simple',
      fault: 'failover',
      property: 'validity',
    });
    expect(new Set(story.schedule.ops.map(({ client }) => client)).size).toBeLessThanOrEqual(3);
    expect(story.schedule.faults.length).toBeLessThanOrEqual(2);
  });

  test('says the same every time, and its progress elsewhere', async () => {
    const again = await run('find', 'redis-simple', '--fault', 'failover', '--out', path);

    expect(again.out).toBe(found.out);
    expect(again.err).toMatch(/^found in schedule \d+; minimising it$/m);
  }, 60_000);

  test('distinguishes a late holder from a broken lock, and says that it searched for worse', async () => {
    const { code, out } = await run(
      'find',
      'redis-simple',
      '--fault',
      'pause',
      '--budget',
      '200',
      '--out',
      path,
    );

    expect(code).toBe(0);
    expect(out).toMatch(
      /^LATE HOLDER: a client continued after its lease had ended\n◐ redis-simple, fault pause\n/,
    );
    expect(out).toMatch(/\d+ more schedules showed nothing worse; --property validity/);
  }, 60_000);

  test('plays redlock on as many nodes as requested, and the story says how many', async () => {
    const eight = join(folder, 'eight.json');
    const args = ['find', 'redlock', '--nodes', '8', '--fault', 'restart-empty', '--out', eight];
    const { code } = await run(...args);
    const { backend, schedule } = parseStory(JSON.parse(readFileSync(eight, 'utf8')));

    expect(code).toBe(0);
    expect(backend).toBe('redlock-8');
    expect(schedule.nodes).toBe(8);
    expect((await run('replay', eight)).code).toBe(0);
  }, 60_000);

  test('that finds nothing says how rare it must be, and exits with 3', async () => {
    const { code, out } = await run(
      'find',
      'redis-simple',
      '--fault',
      'pause',
      '--fenced',
      '--budget',
      '128',
    );

    expect(code).toBe(3);
    expect(out).toMatch(/^NOT FOUND: none in 128\n/);
    expect(out).toContain('at 95 % fewer than 3/128 of such schedules show it');
    expect(out).toMatch(
      /^In \d+ % of them a fault took effect while one client held and another waited\.$/m,
    );
    expect(out.replaceAll('\n', ' ')).toMatch(/States reached: .*a token was refused \(\d+\)/);
  }, 60_000);

  test('that requested no fault does not say that one took effect', async () => {
    const { out } = await run('find', 'redis-simple', '--fault', 'none', '--budget', '64');

    expect(out).toMatch(
      /^In \d+ % of them one client held and another waited; no fault was requested\.$/m,
    );
    expect(out).not.toContain('took effect');
  }, 60_000);

  test('prints JSON for programs, and nothing else on stdout', async () => {
    const { code, out } = await run(
      'find',
      'redis-simple',
      '--fault',
      'failover',
      '--json',
      '--out',
      path,
    );
    const json = JSON.parse(out);

    expect(code).toBe(0);
    expect(json).toMatchObject({
      format: 'holdfast-find',
      version: 1,
      lock: 'redis-simple',
      faults: ['failover'],
      fenced: false,
      property: null,
      seed: 1,
      found: true,
      outcome: 'breaks',
      headline: 'LOCK BROKEN: two valid holders',
      verdict: { property: 'validity', kind: 'violated' },
      story,
    });
    expect(storyFromString(json.replay)).toEqual(story);
    expect(json.foundAt).toBeLessThanOrEqual(json.schedules);
    expect(json.caption.split(' ').length).toBeLessThanOrEqual(25);
  }, 60_000);

  test.for<[string[], string, string]>([
    [
      ['find'],
      'name one lock to search',
      'For example: holdfast find redis-simple --fault failover',
    ],
    [
      ['find', 'memory', 'redlock'],
      'name one lock to search',
      'For example: holdfast find redis-simple --fault failover',
    ],
    [['find', 'memory'], '--fault is missing', `Use one of ${FAULT_IDS.join(', ')}.`],
    [['find', 'memory', '--fault', 'pausse'], 'unknown fault "pausse"', 'Did you mean pause?'],
    [
      ['find', 'memory', '--fault', 'pause', '--property', 'x'],
      'unknown property "x"',
      'Use one of validity, belief, resource, ownership, answers, fifo, liveness.',
    ],
    [
      ['find', 'memory', '--fault', 'pause', '--fenced', '--property', 'belief'],
      '--fenced judges the resource, not belief',
      'Leave out one of the two.',
    ],
    [
      ['find', 'memory', '--fault', 'pause', '--budget', '0'],
      '--budget needs a whole number from 1 to 10000000000, not "0"',
      'See holdfast find --help.',
    ],
    [
      ['find', 'redis-getset', '--fault', 'pause', '--fenced'],
      'redis-getset has no fencing tokens to compare',
      'Leave out --fenced.',
    ],
    [
      ['find', 'zk', '--fault', 'pause', '--nodes', '5'],
      '--nodes is for redlock, not for zk',
      'Leave it out.',
    ],
    [
      ['find', 'redlock', '--fault', 'pause', '--property', 'fifo'],
      'redlock has no queue, so no client can be served out of order',
      'fifo is a property of zk and etcd.',
    ],
    [
      ['find', 'memory', '--fault', 'pause,restart-empty'],
      'memory has no servers, so restart-empty cannot hit it',
      'Use faults of clients: reorder, pause, pause-acquire, loop-block, client-clock, drift, holder-crash, suspend.',
    ],
    [
      ['replay', 'simple-pause', '--svg', '/dev/null/x.svg'],
      'cannot write /dev/null/x.svg: /dev/null is a file',
      'Use --svg to name another place.',
    ],
    [
      ['replay'],
      'name one story',
      'Use a file that find wrote, a string that begins with r1., or the name of a story.',
    ],
    [
      ['replay', 'nosuch'],
      'unknown story "nosuch"; there is no such file either.',
      'See holdfast replay --help.',
    ],
    [
      ['replay', './no/such.json'],
      'there is no file ./no/such.json',
      'See holdfast replay --help.',
    ],
    [['replay', 'r1.abc'], 'this replay string was cut or altered', 'See holdfast replay --help.'],
    [
      ['replay', 'r7.abc'],
      'this is a replay string of version 7; this release reads r1.',
      'See holdfast replay --help.',
    ],
  ])('%j is wrong usage: %s', async ([args, message, hint]) => {
    const { code, out, err } = await run(...args);

    expect(code).toBe(2);
    expect(err).toBe(`holdfast: ${message}\n${hint}\n`);
    expect(out).toBe('');
  });
});

describe('replay', () => {
  test('of a file, or of a string, comes out the same: exit 0', async () => {
    write(story);
    for (const where of [path, storyToString(story)]) {
      const { code, out } = await run('replay', where);

      expect(code).toBe(0);
      expect(out).toMatch(/^LOCK BROKEN: two valid holders\n/);
      expect(out).toContain(`Replayed: the same verdict, the same trace (${story.expect.hash}).`);
    }
  }, 60_000);

  test('that comes out differently says what differs: exit 1', async () => {
    write({ ...story, expect: { kind: 'ok', hash: '0000000000000000' } });
    const { code, out } = await run('replay', path);

    expect(code).toBe(1);
    expect(out).toContain('Replayed, but different:\n  validity was ok, and is violated now\n');
    expect(out).toContain(`  the trace was 0000000000000000, and is ${story.expect.hash} now`);
  });

  test('draws the story, and says it as JSON', async () => {
    write(story);
    const svg = join(folder, 'pictures', 'failover.svg');
    const { code, out } = await run('replay', path, '--svg', svg, '--json');

    expect(code).toBe(0);
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg [^>]*role="img"/);
    expect(JSON.parse(out)).toMatchObject({
      format: 'holdfast-replay',
      version: 1,
      same: true,
      got: story.expect,
      outcome: 'breaks',
    });
  });

  test('on all locks is one fault, several answers', async () => {
    write(story);
    const svg = join(folder, 'answers.svg');
    const { code, out } = await run('replay', path, '--on', 'all', '--svg', svg);

    expect(code).toBe(0);
    expect(out).toMatch(/^One fault, \w+ answers, in this schedule: failover\n/);
    expect(out).toMatch(/^✗ redis-simple +LOCK BROKEN: two valid holders$/m);
    expect(out).toMatch(
      /^✓ redlock +LOCK HOLDS: one holder at a time\n +B has k [\d.]+ ms after A\.\n +✗ broken in other schedules under failover, clocks level: npx holdfast replay pairs-failover$/m,
    );
    expect(readFileSync(svg, 'utf8')).toContain('redlock');
  }, 60_000);

  test.each([
    ['of another version', (text: string) => text.replace('"v":1', '"v":9'), /version/],
    [
      'that was cut',
      (text: string) => text.slice(0, -30),
      /is not valid JSON, perhaps it was truncated/,
    ],
    [
      'with a fault of its own',
      (text: string) => text.replaceAll('"failover"', '"flood"'),
      /flood/,
    ],
    [
      'with a node that is not there',
      (text: string) => text.replaceAll(/"nodes":1(?=[,}])/g, '"nodes":0'),
      /nodes/,
    ],
  ])('of a story %s is wrong usage, and says where', async (_, spoil, said) => {
    writeFileSync(path, spoil(JSON.stringify(story)));
    const { code, out, err } = await run('replay', path);

    expect(code).toBe(2);
    expect(err).toMatch(said);
    expect(err).not.toContain('    at ');
    expect(out).toBe('');
  });

  test('of a lock that is not there any more is wrong usage', async () => {
    write({ ...story, backend: 'redis-simpel' });
    const { code, err } = await run('replay', path);

    expect(code).toBe(2);
    expect(err).toContain('Did you mean "redis-simple"?');
  }, 30_000);
});

/** A file that opens this. */
function opening(name: string, backend: string): string {
  const file = join(folder, name);
  writeFileSync(
    file,
    `export const deployment = { needs: 'redis' };
export const openBackend = async () => (${backend});`,
  );
  return file;
}

describe('a file of a user', () => {
  const CAPABILITIES = `{ lease: 'per-call-ttl', timeAuthority: 'server', consistency: 'ap', fencing: 'none', queue: 'none', wakeUp: 'poll' }`;
  test('that opens no backend is refused, and the error says what is missing', async () => {
    const { code, err } = await run('find', opening('none.mjs', '{}'), '--fault', 'pause');

    expect(code).toBe(2);
    expect(err).toContain('opened something that is not a backend: contend is not a function');
  });

  test('that throws is refused with the error that it threw', async () => {
    const contender =
      '{ attempt: async () => undefined.kind, withdraw: async () => ({ kind: "clean" }) }';
    const backend = `{ name: 'x', capabilities: ${CAPABILITIES}, contend: () => (${contender}), close: async () => {} }`;

    const { code, err } = await run('find', opening('throws.mjs', backend), '--fault', 'pause');

    expect(code).toBe(2);
    expect(err).toMatch(
      /a never got its turn: \w+; the lock threw: Cannot read properties of undefined/,
    );
  });
});

test('nothing is written where nothing was found', async () => {
  const out = join(folder, 'nothing.json');
  await run('find', 'memory', '--fault', 'none', '--budget', '64', '--out', out);

  expect(existsSync(out)).toBe(false);
}, 30_000);

function write(what: Story): void {
  writeFileSync(path, JSON.stringify(what));
}
