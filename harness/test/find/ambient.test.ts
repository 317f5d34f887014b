import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CommandResult, holdfastIn } from '../support/command.ts';

const LIMIT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-ambient-test-'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
afterAll(() => rmSync(folder, { recursive: true }));

/** A lock that works, but for where it reaches past its runtime. */
function lockThat(head: string, line: string, where: 'always' | 'in doubt' = 'always'): string {
  return `${head}
export const deployment = { needs: 'redis' };
export async function openBackend({ node }, { runtime }) {
  const send = (...args) => node.command(args, { deadlineMs: runtime.now().monotonicMs + 100 });
  return {
    name: 'reaching',
    capabilities: { lease: 'per-call-ttl', timeAuthority: 'server', consistency: 'ap', fencing: 'none', queue: 'none', wakeUp: 'poll' },
    contend: ({ key, contender, ttlMs }) => ({
      async attempt() {
        const from = runtime.now();
        ${where === 'always' ? line : ''}
        try {
          if ((await send('SET', key, contender, 'NX', 'PX', \`\${ttlMs}\`)) === null) return { kind: 'busy' };
        } catch (cause) {
          ${where === 'in doubt' ? line : ''}
          return { kind: 'unknown', cause };
        }
        const release = async () => ({ kind: (await send('DEL', key)) === 1 ? 'released' : 'not-held' });
        return { kind: 'granted', grant: { owner: contender, leaseMs: ttlMs, validity: { from, ms: ttlMs * 0.98 }, release } };
      },
      withdraw: async () => ({ kind: 'clean' }),
    }),
    close: async () => {},
  };
}
`;
}

function find(name: string, text: string): Promise<CommandResult> {
  writeFileSync(join(folder, `${name}.js`), text);
  const search = ['find', `./${name}.js`, '--fault', 'lost-reply', '--budget', '100'];
  return holdfastIn(folder, search);
}

const CLOCK = 'now() and elapsedMs() of host.runtime';
const TIMER = 'timer() of host.runtime';
const CHANCE = 'randomId() and random() of host.runtime';
const OUTSIDE = 'only the nodes that the lock is given';

test.for<readonly [call: string, instead: string, head: string, line: string]>([
  ['Date.now', CLOCK, '', 'Date.now();'],
  ['Date.now', CLOCK, 'const now = Date.now;', 'now();'],
  ['process.hrtime.bigint', CLOCK, '', 'process.hrtime.bigint();'],
  [
    'process.hrtime.bigint',
    CLOCK,
    "import { hrtime } from 'node:process';",
    'try { hrtime.bigint(); } catch {}',
  ],
  ['setTimeout', TIMER, '', 'await new Promise((done) => setTimeout(done, 1));'],
  [
    'node:timers.setTimeout',
    TIMER,
    "import { setTimeout as later } from 'node:timers';",
    'await new Promise((done) => later(done, 1));',
  ],
  [
    'node:timers/promises.setTimeout',
    TIMER,
    "import { setTimeout as sleep } from 'timers/promises';",
    'await sleep(1);',
  ],
  [
    'node:timers/promises.setTimeout',
    TIMER,
    "import { promisify } from 'node:util'; const sleep = promisify(setTimeout);",
    'await sleep(1);',
  ],
  [
    'node:crypto.randomBytes',
    CHANCE,
    "import { randomBytes } from 'node:crypto';",
    'randomBytes(8);',
  ],
  ['node:crypto.randomBytes', CHANCE, "import crypto from 'crypto';", 'crypto.randomBytes(8);'],
  [
    'node:fs/promises.readFile',
    OUTSIDE,
    "import { readFile } from 'node:fs/promises';",
    "await readFile('package.json');",
  ],
  ['node:fs.readFileSync', OUTSIDE, "import fs from 'fs';", "fs.readFileSync('package.json');"],
  ['node:net.connect', OUTSIDE, "import { connect } from 'node:net';", 'connect(1);'],
])(
  'a lock that uses %s gets an error that says what to use: %s',
  { timeout: LIMIT_MS },
  async (given) => {
    const [call, instead, head, line] = given;

    const { code, stderr, stdout } = await find('reaching', lockThat(head, line));

    expect(stderr).toContain(
      `"./reaching.js" cannot be simulated: ${call} was called inside the simulation; use ${instead}`,
    );
    expect(stdout).toBe('');
    expect(code).toBe(2);
  },
);

test(
  'a lock that uses a clock only when something goes wrong gets that error, too, and is not blamed',
  async () => {
    const { code, stdout, stderr } = await find(
      'doubting',
      lockThat('', 'Date.now();', 'in doubt'),
    );

    expect(stderr).toContain('"./doubting.js" cannot be simulated: Date.now was called inside');
    expect(stdout + stderr).not.toMatch(/LOCK STUCK|LOCK BROKEN/);
    expect(code).toBe(2);
  },
  LIMIT_MS,
);

test(
  'what depends on no clock may be used',
  async () => {
    const head = "import { createHash } from 'node:crypto'; import { isIP } from 'node:net';";
    const line =
      "createHash('sha1').update('k'); isIP('::1'); new Date(0); queueMicrotask(() => {});";

    const { stdout, stderr } = await find('still', lockThat(head, line));

    expect(stderr).not.toContain('cannot be simulated');
    expect(stdout).toMatch(/NOT FOUND|LOCK/);
  },
  LIMIT_MS,
);
