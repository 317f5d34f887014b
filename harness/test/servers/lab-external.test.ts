import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Laboratory } from './support/lab-world.ts';

/** Against hanging, not a measure. */
const LIMIT_MS = 240_000;
const ADAPTER = fileURLToPath(new URL('./support/external-lock.mjs', import.meta.url));

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
