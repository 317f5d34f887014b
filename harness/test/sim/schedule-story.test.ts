import fc from 'fast-check';
import { deflateSync, strToU8 } from 'fflate';
import { describe, expect, test } from 'vitest';
import {
  parseSchedule,
  parseStory,
  parseStoryText,
  type Schedule,
  ScheduleError,
  type Story,
  schedulesFor,
  storyFromString,
  storyToString,
} from '../../src/simulator/index.ts';

const KINDS = [
  'pause',
  'failover',
  'split-brain',
  'drift',
  'reorder',
  'swizzle',
  'torn-log',
] as const;
const schedules = schedulesFor(KINDS, { nodes: 5, renews: true });
const repointed = schedulesFor(['none'], { nodes: 5, renews: true, repointed: true });

function storyOf(schedule: Schedule): Story {
  const fault = schedule.faults[0]?.kind ?? 'none';
  const expected = { kind: 'violated', hash: '0123456789abcdef' } as const;
  return {
    v: 1,
    backend: 'redlock',
    fault,
    fenced: false,
    property: 'validity',
    schedule,
    expect: expected,
  };
}

const [sample] = fc.sample(schedules, { seed: 1, numRuns: 1 });
const story = storyOf(sample!);
const string = storyToString(story);

test('every generated schedule is valid, and survives JSON and the string unchanged', () => {
  fc.assert(
    fc.property(fc.oneof(schedules, repointed), (schedule) => {
      expect(parseSchedule(JSON.parse(JSON.stringify(schedule)))).toEqual(schedule);
      expect(storyFromString(storyToString(storyOf(schedule)))).toEqual(storyOf(schedule));
    }),
    { numRuns: 200, seed: 1 },
  );
});

test('a story that is stuck has no trace, and every other one has one', () => {
  const stuck: Story = { ...story, expect: { kind: 'stuck', hash: '' } };

  expect(storyFromString(storyToString(stuck))).toEqual(stuck);
  expect(() => parseStory({ ...stuck, expect: { ...story.expect, kind: 'stuck' } })).toThrow(
    'must be empty: what is stuck leaves no trace',
  );
  expect(() => parseStory({ ...story, expect: { kind: 'violated', hash: '' } })).toThrow(
    'must be 16 hexadecimal digits',
  );
});

test('the string fits the fragment of a URL', () => {
  expect(string).toMatch(/^r1\.[A-Za-z0-9_-]+$/);
  expect(string.length).toBeLessThan(1_000);
});

test('a string that was cut anywhere is refused as such', () => {
  for (let length = 0; length < string.length; length++)
    expect(() => storyFromString(string.slice(0, length)), `${length}`).toThrow(ScheduleError);
});

test('blanks around a pasted string do not matter', () => {
  expect(storyFromString(` ${string}\n`)).toEqual(story);
});

const wrapped = (text: string): string =>
  `r1.${Buffer.from(deflateSync(strToU8(text))).toString('base64url')}`;

describe('an invalid story is refused, with the reason', () => {
  test.each<[name: string, text: string, message: string]>([
    ['something else', 'hello', 'a replay string begins with r1.'],
    [
      'another version of the string',
      string.replace('r1.', 'r2.'),
      'this is a replay string of version 2; this release reads r1.',
    ],
    ['letters that base64 does not have', 'r1.!!!', 'this replay string was cut or altered'],
    [
      'a string without end',
      `r1.${'A'.repeat(40_000)}`,
      'a replay string has at most 32768 characters',
    ],
    ['no JSON', wrapped('{'), 'invalid JSON, perhaps it was cut off'],
    [
      'another version of the story',
      wrapped(JSON.stringify({ ...story, v: 7 })),
      'v: this is a story of version 7',
    ],
  ])('%s', (_name, text, message) => {
    expect(() => storyFromString(text)).toThrow(ScheduleError);
    expect(() => storyFromString(text)).toThrow(message);
  });

  test('a text that is no JSON', () => {
    expect(() => parseStoryText('{"v": 1')).toThrow(/invalid JSON, perhaps it was cut off/);
  });

  test('a fault that is not among those of the schedule', () => {
    expect(() => parseStory({ ...story, fault: 'lost-wakeup' })).toThrow(
      /fault: must be one of none/,
    );
  });

  test.each([
    ['a file of code', { 'open.ts': '/'.repeat(100_001) }],
    [
      'a number of files',
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`file${i}.ts`, ''])),
    ],
  ])('%s beyond the limit', (_name, files) => {
    expect(() => parseStory({ ...story, code: { files } })).toThrow(ScheduleError);
    expect(() => parseStory({ ...story, code: { files } })).toThrow(/code.files.*(100000|50)/);
  });

  test('a hash that is none', () => {
    const expected = { ...story.expect, hash: 'abc' };
    expect(() => parseStory({ ...story, expect: expected })).toThrow(/expect.hash: must be 16 hex/);
  });
});
