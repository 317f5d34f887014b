import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AdapterError, AdapterProcess } from '../../src/processes/external/adapter-process.ts';

const ADAPTER = fileURLToPath(new URL('./support/adapter.mjs', import.meta.url));
/** Unique to this process, so that only our own processes are looked for. */
const MARK = `adapter-of-${process.pid}`;
const LIMITS = { startMs: 10_000, replyMs: 400, endMs: 200 };
const ACQUIRE = { do: 'acquire', key: 'k', waitMs: 100 } as const;
const PATIENCE = { timeout: 10_000, interval: 20 };

const adapters: AdapterProcess[] = [];
afterEach(() => {
  for (const adapter of adapters.splice(0)) adapter.kill();
});

/** Starts an adapter that behaves like this. */
async function start(
  how: string,
  limits = LIMITS,
): Promise<{ adapter: AdapterProcess; failures: readonly AdapterError[] }> {
  const failures: AdapterError[] = [];
  const { adapter } = await AdapterProcess.start({
    command: `"${process.execPath}" "${ADAPTER}" ${how} ${MARK}`,
    greeting: { client: 'p1', servers: [], resource: '', ttlMs: 1_000 },
    limits,
    failed: (error) => failures.push(error),
  });
  adapters.push(adapter);
  return { adapter, failures };
}

function running(): readonly string[] {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'stat=,args='], { encoding: 'utf8' });
  return all.split('\n').filter((line) => line.includes(MARK) && !line.startsWith('Z'));
}

const NEVER_READY = { ...LIMITS, startMs: 300 };
const BEFORE_IT_IS_READY = [
  ['silent', NEVER_READY, /was not ready within 300 ms/],
  ['dead', LIMITS, /ended with code 3; its last errors: no such lock/],
  ['version-2', LIMITS, /speaks version 2 of the lines, not 1/],
  ['chatty', LIMITS, /wrote more than 65536 characters that are no reply/],
  ['endless', LIMITS, /wrote more than 65536 characters that are no reply/],
] as const;

describe('an adapter is ended, with all its processes, if it', () => {
  test.each(BEFORE_IT_IS_READY)('is %s before it is ready', async (how, limits, message) => {
    await expect(start(how, limits)).rejects.toThrow(message);

    await vi.waitFor(() => expect(running()).toEqual([]), PATIENCE);
  });

  test.each([
    ['hanging', /did not reply to acquire \(request 1\) within 500 ms/],
    ['dying', /ended with code 4/],
    ['killed', /ended with code 137/],
    ['granting', /wrote a line that is no reply: .*granted/],
    ['ahead', /replied to request 7, which was never sent/],
    ['twice', /replied to request 1 twice/],
    ['flooding', /replied to request 1 twice/],
    ['ready-again', /said twice that it is ready/],
  ])('is %s', async (how, message) => {
    const { adapter, failures } = await start(how);
    const reply = adapter.request(ACQUIRE);
    reply.catch(() => undefined);

    await vi.waitFor(() => expect(failures).toHaveLength(1), PATIENCE);

    expect(failures[0]?.message).toMatch(message);
    await expect(adapter.request(ACQUIRE)).rejects.toThrow(message);
    await vi.waitFor(() => expect(running()).toEqual([]), PATIENCE);
  });
});

test('warnings that a runtime prints are no replies', async () => {
  const { adapter } = await start('warning');

  expect(await adapter.request(ACQUIRE)).toMatchObject({ ok: true });
});

test('an adapter that starts another process is paused, resumed and killed with it', async () => {
  const { adapter } = await start('with-child');
  await vi.waitFor(() => expect(running().length).toBeGreaterThanOrEqual(2), PATIENCE);

  adapter.signal('SIGSTOP');

  await vi.waitFor(
    () => expect(running().every((line) => line.startsWith('T'))).toBe(true),
    PATIENCE,
  );
  adapter.signal('SIGCONT');
  expect(await adapter.request(ACQUIRE)).toMatchObject({ ok: true });
  await adapter.end();
  await vi.waitFor(() => expect(running()).toEqual([]), PATIENCE);
});
