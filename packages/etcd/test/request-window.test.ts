import { systemRuntime } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { EtcdUnavailable } from '../src/port.ts';
import { RequestWindow } from '../src/request-window.ts';

const runtime = systemRuntime();
const SIZE = 16;
const inMs = (ms: number): number => runtime.now().monotonicMs + ms;

/** A window that is full of requests; each of `ends` ends one. */
function fullWindow(): { readonly window: RequestWindow; readonly ends: (() => void)[] } {
  const window = new RequestWindow(runtime);
  const ends: (() => void)[] = [];
  const send = (): Promise<void> => new Promise((resolve) => void ends.push(resolve));
  for (let i = 0; i < SIZE; i++) void window.run('enter', inMs(60_000), send);
  return { window, ends };
}

test('a request that looks at the queue goes before those that enter one', async () => {
  const { window, ends } = fullWindow();
  const order: string[] = [];
  const sent = (name: string) => async (): Promise<void> => void order.push(name);
  const entering = window.run('enter', inMs(60_000), sent('enter'));
  const looking = window.run('look', inMs(60_000), sent('look'));
  expect(ends).toHaveLength(SIZE);

  ends[0]?.();
  await Promise.all([entering, looking]);

  expect(order).toEqual(['look', 'enter']);
});

test('a request without a turn by its deadline is not sent, and passes its turn to nobody', async () => {
  const { window, ends } = fullWindow();
  const sent: string[] = [];
  const late = window.run('enter', inMs(5), async () => void sent.push('late'));
  await expect(late).rejects.toThrow(EtcdUnavailable);

  const next = window.run('enter', inMs(60_000), async () => void sent.push('next'));
  ends[0]?.();
  await next;

  expect(sent).toEqual(['next']);
});
