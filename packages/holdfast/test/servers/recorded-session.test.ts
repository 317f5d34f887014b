import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Locks, openLocks } from 'holdfast';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { main } from '../kit.ts';
import { Gate } from './support/run-process.ts';

const HOLDFAST = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const PAGE = new URL('../../../../docs/guides/operating.md', import.meta.url);

/** The sessions on the page, in their order. */
const [TERMINAL = '', WATCH = '', TABLE = ''] = [
  ...readFileSync(PAGE, 'utf8').matchAll(/^```text\n([^]*?)```$/gm),
].map(([, text = '']) => text);

let redis: RedisServer;
let locks: Locks;
beforeAll(async () => {
  redis = await RedisServer.start();
  locks = await openLocks(redis.url);
});
afterAll(async () => {
  await locks.close();
  await redis.close();
});

/** Without what is different each time: times, holders, tokens. */
function plain(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/^\d\d:\d\d:\d\d/gm, 'TIME')
    .replaceAll(/\d{16}/g, 'TOKEN')
    .replaceAll(/[\w.-]+:\d+/g, 'HOLDER')
    .replaceAll(/\d+(?:\.\d+)? m?s\b( ago)? */g, 'SPAN$1 ')
    .replaceAll(/[ \t]+$/gm, '');
}

/** The output of `holdfast watch` on a pipe or a terminal, in this process. */
class Watch {
  out = '';
  readonly env: NodeJS.ProcessEnv = { HOLDFAST_URL: redis.url };
  readonly stderr = { write: (text: string): void => void (this.out += text) };
  readonly stdout: { isTTY?: boolean; write(text: string): void };
  readonly ended: Promise<number>;
  readonly #heard = new Set<() => void>();

  constructor(args: readonly string[], isTTY: boolean) {
    const write = (text: string): void => {
      this.out += text;
      for (const hear of this.#heard) hear();
    };
    this.stdout = { ...(isTTY && { isTTY }), write };
    this.ended = main(args, this);
  }

  /** Resolves once so many lines are there. */
  async hears(pattern: RegExp, times = 1): Promise<void> {
    while ([...this.out.matchAll(pattern)].length < times)
      await new Promise<void>((resume) => this.#heard.add(resume));
  }
}

/** Runs one line of the session with `holdfast` in front, and appends what it prints and its status. */
async function typed(line: string, cwd: string): Promise<string> {
  const args = line.replace(/^holdfast /, '').split(' ');
  const env = { ...process.env, HOLDFAST_URL: redis.url };
  const child = spawn(process.execPath, [HOLDFAST, ...args], { cwd, env });
  let output = `$ ${line}\n`;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const status = await new Promise<number | null>((done) => child.once('close', done));
  return `${output}$ echo $?\n${status}\n`;
}

test('the sessions on the page are what run and watch print', async () => {
  using gate = new Gate();
  const cwd = dirname(gate.path);
  const script =
    '#!/bin/sh\necho "writing the report under token $HOLDFAST_TOKEN"\nread -r go < gate\n';
  writeFileSync(`${cwd}/report.sh`, script, { mode: 0o755 });
  const [first = '', second = '', third = ''] = [...TERMINAL.matchAll(/^\$ (holdfast .*)$/gm)].map(
    ([, line = '']) => line,
  );
  const [command = ''] = WATCH.split('\n');
  const watch = new Watch(command.split(' ').slice(2), false);

  const reported = typed(first, cwd);
  await watch.hears(/is held/g, 1);
  await gate.open();
  let session = await reported;
  await watch.hears(/no longer/g, 1);

  const other = await locks.acquire('nightly');
  await watch.hears(/is held/g, 2);
  session += await typed(second, cwd);
  await other.release();
  await watch.hears(/no longer/g, 2);

  const lost = typed(third, cwd);
  await watch.hears(/is held/g, 3);
  const table = new Watch(command.split(' ').slice(2), true);
  await table.hears(/is held/g, 1);
  await locks.forceRelease('nightly');
  session += await lost;
  await watch.hears(/no longer/g, 3);
  process.emit('SIGINT');
  await Promise.all([watch.ended, table.ended]);

  expect(plain(session)).toBe(plain(TERMINAL));
  expect(plain(`${command}\n${watch.out}`)).toBe(plain(WATCH));
  const frame = table.out.split('\u001B[H\u001B[J').find((each) => each.includes('is held')) ?? '';
  expect(plain(frame)).toBe(plain(TABLE));
});
