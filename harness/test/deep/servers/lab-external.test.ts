import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Laboratory } from '../../servers/support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;
const ADAPTER = fileURLToPath(new URL('../../servers/support/external-lock.mjs', import.meta.url));

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function laboratory(how: string): Laboratory {
  const external = ['--external', `'${process.execPath}' '${ADAPTER}' ${how}`];
  const what = [...external, '--external-on', 'redis-simple', '--faults', 'none', '--trials', '1'];
  const lab = new Laboratory([...what, '--profile', 'quick']);
  closing.push(() => lab.close());
  return lab;
}

test('a command that excludes holds', { timeout: LIMIT_MS }, async () => {
  const lab = laboratory('excludes');

  expect(await lab.ended).toMatchObject({ code: 0 });

  const { outcome, figures } = lab.cell('none', 'external');
  expect(outcome).toBe('holds');
  expect(figures?.updates.accepted).toBeGreaterThan(0);
  expect(lab.report.by).toContain('external: a lock of the tests (excludes)');
  expect(lab.running).toEqual([]);
});

test('a command that grants to all is broken, by the order at the resource', {
  timeout: LIMIT_MS,
}, async () => {
  const lab = laboratory('grants-to-all');

  await lab.ended;

  const { outcome, figures } = lab.cell('none', 'external');
  expect(outcome).toBe('breaks');
  expect(figures?.example).toMatch(/^p\d+ read \d+, p\d+ wrote, and p\d+ wrote \d+ all the same$/);
});

test('a command that dies in a trial ends it at once, with its last words, and leaves no process', {
  timeout: LIMIT_MS,
}, async () => {
  const lab = laboratory('dies');

  expect(await lab.ended).toMatchObject({ code: 1 });

  expect(lab.cell('none', 'external')).toMatchObject({ outcome: 'nothing', figures: null });
  expect(lab.cell('none', 'external').reason).toMatch(
    /^p\d+: the external command ended with code 5; its last errors: out of locks$/,
  );
  expect(lab.report.tookMs).toBeLessThan(20_000);
  expect(lab.running).toEqual([]);
});
