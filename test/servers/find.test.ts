import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ran, run } from '../support/run.ts';

/** The built command, as it is installed: its threads are files of `dist`. */
const COMMAND = fileURLToPath(new URL('../../packages/holdfast/bin/holdfast.js', import.meta.url));
const LIMIT_MS = 90_000;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-find-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GET_THEN_DEL = `export async function openBackend({ node }, { runtime }) {
  const send = (...args) => node.command(args, { deadlineMs: runtime.now().monotonicMs + 100 });
  return {
    name: 'get-then-del',
    capabilities: { lease: 'per-call-ttl', timeAuthority: 'server', consistency: 'ap', fencing: 'none', queue: 'none', wakeUp: 'poll', survives: [] },
    contend: ({ key, contender, ttlMs }) => ({
      async attempt() {
        const from = runtime.now();
        try {
          if ((await send('SET', key, contender, 'NX', 'PX', \`\${ttlMs}\`)) === null) return { kind: 'busy' };
        } catch (cause) {
          ONERROR
          return { kind: 'unknown', cause };
        }
        const release = async () => {
          if ((await send('GET', key)) !== contender) return { kind: 'not-held' };
          await send('DEL', key);
          return { kind: 'released' };
        };
        return { kind: 'granted', grant: { owner: contender, leaseMs: ttlMs, validity: { from, ms: ttlMs * 0.98 }, release } };
      },
      withdraw: async () => ({ kind: 'clean' }),
    }),
    close: async () => {},
  };
}
`;

const LOCKS: Readonly<Record<string, string>> = {
  'my-lock.js': GET_THEN_DEL.replace('ONERROR', ''),
  // Whatever it waits for, it never lets anything else happen.
  'loops.js': GET_THEN_DEL.replace('ONERROR', 'while (true) await null;'),
  'waits.js': GET_THEN_DEL.replace('const from', 'await new Promise(() => {}); const from').replace(
    'ONERROR',
    '',
  ),
  'throws.js': "export async function openBackend() { throw new Error('no such table'); }",
  'empty.js': 'export const nothing = 0;',
};

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(LOCKS)) writeFileSync(join(folder, name), text);
});

function holdfast(...args: readonly string[]): Promise<Ran> {
  return run(process.execPath, [COMMAND, ...args], { cwd: folder });
}

test(
  'a lock of one’s own is searched like ours, its story replayed and drawn',
  async () => {
    const found = await holdfast('find', './my-lock.js', '--fault', 'pause', '--out', 'story.json');
    const replayed = await holdfast('replay', 'story.json', '--svg', 'story.svg');

    expect(found.stdout).toMatch(
      /^LOCK BROKEN: two valid holders\n✗ \.\/my-lock\.js, fault pause\n/,
    );
    expect(found.stdout).toMatch(/is deleted by [ABC]$/m);
    expect(found.code).toBe(0);
    expect(replayed.stdout).toContain('Replayed: the same verdict, the same trace');
    expect(replayed.code).toBe(0);
    expect(readFileSync(join(folder, 'story.svg'), 'utf8')).toContain('two valid holders');
  },
  LIMIT_MS,
);

test(
  'a lock that never yields is found out, with the schedule that it hung in',
  async () => {
    const { code, stdout } = await holdfast(
      'find',
      './loops.js',
      '--fault',
      'lost-reply',
      '--json',
    );
    const json = JSON.parse(stdout);

    expect(code).toBe(0);
    expect(json).toMatchObject({
      found: true,
      outcome: 'breaks',
      headline: 'LOCK STUCK: its code never yields',
    });
    expect(json.message).toMatch(/^the code of \.\/loops\.js runs on for \d+ s without waiting/);
    expect(json.schedule).toMatchObject({
      v: 1,
      faults: expect.arrayContaining([expect.objectContaining({ kind: 'lost-reply' })]),
    });
  },
  LIMIT_MS,
);

test.for([
  ['./waits.js', /does not work even where nothing goes wrong: .*never ended/],
  ['./throws.js', /does not work even where nothing goes wrong: .*no such table/],
  ['./empty.js', /is not a backend: it exports neither openBackend nor a default function/],
  ['./nowhere.js', /backend file "\.\/nowhere\.js" does not exist/],
] as const)(
  '%s cannot be tried, and the reason is said in one line',
  { timeout: LIMIT_MS },
  async ([lock, reason]) => {
    const { code, stdout, output } = await holdfast('find', lock, '--fault', 'pause');

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(output.trim().split('\n')).toEqual([expect.stringMatching(reason)]);
  },
);

test(
  'several threads find what one finds',
  async () => {
    const search = [
      'find',
      'redis-simple',
      '--fault',
      'restart-empty',
      '--seed',
      '5',
      '--out',
      'jobs.json',
    ];
    const alone = await holdfast(...search);
    const together = await holdfast(...search, '--jobs', '3');

    expect(together.stdout).toBe(alone.stdout);
  },
  LIMIT_MS,
);
