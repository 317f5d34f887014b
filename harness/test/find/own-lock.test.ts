import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunResult, run } from '../../../test/support/run.ts';
import { type CommandResult, holdfastIn } from '../support/command.ts';

/** The built command, as it is installed: its threads are files of `dist`. */
const COMMAND = fileURLToPath(
  new URL('../../../packages/holdfast/bin/holdfast.js', import.meta.url),
);
const LIMIT_MS = 90_000;
const RUNS_TYPESCRIPT = Boolean(Reflect.get(process.features, 'typescript'));

const folder = mkdtempSync(join(tmpdir(), 'holdfast-find-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GET_THEN_DEL = `export const deployment = { needs: 'redis' };
export async function openBackend({ node }, { runtime }) {
  const send = (...args) => node.command(args, { deadlineMs: runtime.now().monotonicMs + 100 });
  return {
    name: 'get-then-del',
    capabilities: { lease: 'per-call-ttl', timeAuthority: 'server', consistency: 'ap', fencing: 'none', queue: 'none', wakeUp: 'poll' },
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
  // It blocks the event loop while it waits.
  'loops.js': GET_THEN_DEL.replace('ONERROR', 'while (true) await null;'),
  // As long as one that computes is not waited for.
  'blocks.js': GET_THEN_DEL.replace(
    'ONERROR',
    'if (!globalThis.blocked) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000); globalThis.blocked = true;',
  ),
  'waits.js': GET_THEN_DEL.replace('const from', 'await new Promise(() => {}); const from').replace(
    'ONERROR',
    '',
  ),
  // Nor where nothing goes wrong.
  'hangs.js': GET_THEN_DEL.replace('const from', 'while (true) await null; const from').replace(
    'ONERROR',
    '',
  ),
  'typed.ts': 'export const openBackend = (options: object) => options;',
  // Only the first of several threads can load it.
  'once.js': `import { mkdirSync } from 'node:fs';\nmkdirSync('loaded');\n${GET_THEN_DEL.replace('ONERROR', '')}`,
  'throws.js':
    "export const deployment = { needs: 'redis' }; export async function openBackend() { throw new Error('no such table'); }",
  'silent.js': 'export async function openBackend() {}',
  'empty.js': 'export const nothing = 0;',
};

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(LOCKS)) writeFileSync(join(folder, name), text);
});

function holdfast(...args: readonly string[]): Promise<CommandResult> {
  return holdfastIn(folder, args);
}

/** In a process of its own, which has to end. */
function holdfastAlone(...args: readonly string[]): Promise<RunResult> {
  return run(process.execPath, [COMMAND, ...args], { cwd: folder });
}

test(
  'a lock of one’s own is searched like ours, its story replayed and drawn',
  async () => {
    const search = ['find', './my-lock.js', '--fault', 'pause', '--out', 'story.json'];
    const found = await holdfastAlone(...search);
    const replayed = await holdfastAlone('replay', 'story.json', '--svg', 'story.svg');

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

test('a search of which one thread cannot load the lock ends, and says why', async () => {
  const search = ['find', './once.js', '--fault', 'pause', '--jobs', '2'];
  const { code, output } = await holdfastAlone(...search);

  expect(output).toContain('EEXIST');
  expect(code).toBe(2);
});

test(
  'a lock that never yields is found out: a small story that expects just that, and replays',
  async () => {
    // With this seed the first schedule in which it hangs has few elements to leave out.
    const search = ['find', './loops.js', '--fault', 'lost-reply', '--seed', '20'];
    const found = await holdfastAlone(...search, '--out', 'stuck.json', '--json');
    const json = JSON.parse(found.stdout);
    const replayed = await holdfast('replay', 'stuck.json');
    const drawn = await holdfast('replay', 'stuck.json', '--svg', 'stuck.svg');

    expect(found.code).toBe(0);
    expect(json).toMatchObject({
      found: true,
      outcome: 'breaks',
      headline: 'LOCK STUCK: its code never yields',
    });
    expect(json.message).toMatch(/^the code of \.\/loops\.js has run for 1 s without awaiting/);
    // It takes one to lose an answer, and a story has two.
    expect(json.schedule.ops).toHaveLength(2);
    expect(json.schedule.faults).toMatchObject([{ kind: 'lost-reply', label: 'SET' }]);
    expect(json.story).toMatchObject({
      property: 'liveness',
      schedule: json.schedule,
      expect: { kind: 'stuck', hash: '' },
    });
    expect(JSON.parse(readFileSync(join(folder, 'stuck.json'), 'utf8'))).toEqual(json.story);
    expect(replayed.stdout).toMatch(/^LOCK STUCK: its code never yields\n✗ \.\/loops\.js, fault/);
    expect(replayed.stdout).toMatch(/↯ lost-reply: [AB]: reply to SET lost, connection reset/);
    expect(replayed.stdout).toMatch(/\nReplayed: it hangs again, and was stopped\.\n$/);
    expect(replayed.code).toBe(0);
    expect(drawn.stderr).toContain('so there is no end to draw\nLeave out --svg.');
    expect(drawn.code).toBe(2);
  },
  // It is ended several times, each after it has computed for a quarter of a second or a whole one.
  2 * LIMIT_MS,
);

test(
  'a lock that blocks its thread for a while computes nothing, and is not found stuck',
  async () => {
    const search = ['find', './blocks.js', '--fault', 'lost-reply', '--budget', '64'];

    const { code, stdout } = await holdfast(...search);

    expect(stdout).toContain('NOT FOUND');
    expect(code).toBe(3);
  },
  LIMIT_MS,
);

test(
  'a story of a lock that hung, and was mended, is not what it says any more',
  async () => {
    const story = JSON.parse(readFileSync(join(folder, 'stuck.json'), 'utf8'));
    writeFileSync(
      join(folder, 'mended.json'),
      JSON.stringify({ ...story, backend: './my-lock.js' }),
    );

    const { code, stdout } = await holdfast('replay', 'mended.json');

    expect(stdout).toContain('Replayed, but different:\n  liveness was stuck, and is ok now\n');
    expect(code).toBe(1);
  },
  LIMIT_MS,
);

test.skipIf(RUNS_TYPESCRIPT)(
  'a lock in TypeScript, on a Node that runs none, is refused with what to do',
  async () => {
    const { code, stderr } = await holdfast('find', './typed.ts', '--fault', 'pause');

    expect(code).toBe(2);
    expect(stderr).toMatch(
      /could not be loaded: .*\. Node \S+ does not run TypeScript: compile the file \(npx tsc\), or use Node 24/,
    );
  },
  LIMIT_MS,
);

test.for([
  ['./waits.js', /does not work even without faults: .*never ended/],
  ['./hangs.js', /cannot be tested: its code has run for 1 s without awaiting anything/],
  ['./throws.js', /does not work even without faults: .*no such table/],
  [
    './silent.js',
    /does not export what it needs; write {2}export const deployment = \{ needs: 'redis' \};/,
  ],
  ['./empty.js', /is not a backend: it exports neither openBackend nor a default function/],
  ['./nowhere.js', /backend file "\.\/nowhere\.js" does not exist/],
] as const)(
  '%s cannot be tried, and the reason is said in one line',
  { timeout: LIMIT_MS },
  async ([lock, reason]) => {
    const { code, stdout, stderr } = await holdfast('find', lock, '--fault', 'pause');

    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(reason)]);
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
