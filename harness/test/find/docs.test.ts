import { fileURLToPath } from 'node:url';
import { parseSchedule, play, type Schedule, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { drawMultiples, drawSvg, headlineOf, type Scene } from '../../src/draw/index.ts';
import { compareLocks } from '../../src/find/lock-comparison.ts';
import { sceneOf } from '../../src/find/scene-of.ts';
import { subjectOf } from '../../src/locks/index.ts';

/** Pictures of the docs, as what is there now would draw them; `vitest -u` renews them. Timelines are held by `test/stories/pages.test.ts`. */
const DOCS = new URL('../../../docs/', import.meta.url);

const pause: Schedule = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 20, renews: false },
    { id: 2, client: 'b', atMs: 10, holdMs: 300, renews: false },
  ],
  faults: [{ kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 1_200 }],
});

const failover: Schedule = parseSchedule({
  ...pause,
  replicas: 1,
  lagMs: 20,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 120, renews: false },
    { id: 2, client: 'b', atMs: 20, holdMs: 60, renews: false },
  ],
  faults: [{ kind: 'failover', nodes: 1, when: { atMs: 6 }, ms: 0 }],
});

async function late(): Promise<Scene> {
  const played = await play(pause, subjectOf('redis-simple'), { trace: true });
  return sceneOf(played, { property: 'belief', fenced: false });
}

function picture(name: string): string {
  return fileURLToPath(new URL(`pictures/${name}.svg`, DOCS));
}

test('the picture of a late holder is what is drawn now', async () => {
  await expect(drawSvg(await late())).toMatchFileSnapshot(picture('late-holder'));
});

test('the picture of one fault and several answers is what is drawn now', async () => {
  const story = {
    v: 1,
    backend: 'redis-simple',
    fault: 'failover',
    fenced: false,
    property: 'validity',
    schedule: failover,
    expect: { kind: 'violated', hash: '0000000000000000' },
  } as const;
  const { title, scenes } = await compareLocks(story);

  await expect(drawMultiples(title, scenes)).toMatchFileSnapshot(picture('one-fault'));
  expect(scenes.map((scene) => `${scene.title} ${headlineOf(scene).outcome}`)).toEqual(
    expect.arrayContaining([
      'redis-simple breaks',
      'redis-getset breaks',
      'redlock holds',
      'zk holds',
    ]),
  );
  expect(storyToString(story).length).toBeLessThan(1_000);
});
