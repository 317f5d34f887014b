import { play, type Schedule, type Subject } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { isKept } from './exhibit-stories.ts';
import { BODIES, ONE_PROCESS, READERS_WITHOUT_GAP, THREE_MAJORITIES } from './family-stories.ts';

/** The schedules that break the exhibits, on locks that do not make their mistakes. */
const SOUND: readonly (readonly [mistake: string, lock: string, like: string, Schedule])[] = [
  ['permits that a majority counts', 'etcd', 'semaphore-by-majority', THREE_MAJORITIES],
  ['readers who pass a writer', 'redis-simple', 'readers-first', READERS_WITHOUT_GAP],
  ['readers who pass a writer', 'memory', 'readers-first', READERS_WITHOUT_GAP],
  ['a count for a process', 'redis-simple', 'reentrant-by-key', ONE_PROCESS],
  ['a batcher without contexts', 'memory', 'context-batcher', BODIES],
];

test.each(SOUND)('%s: %s serves everyone in turn where %s does not', async (...sound) => {
  const [, lock, like, schedule] = sound;
  const { modeOf } = subjectOf(like);
  const subject: Subject = { ...subjectOf(lock), ...(modeOf && { modeOf }) };

  const played = await play(schedule, subject);

  expect(played.complaints).toEqual([]);
  expect(isKept(played)).toBe(true);
  expect(played.history.filter(({ type }) => type === 'granted')).toHaveLength(schedule.ops.length);
});
