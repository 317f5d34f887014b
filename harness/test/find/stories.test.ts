import { readdirSync, readFileSync } from 'node:fs';
import { parseStoryText, play, type Story } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { captionOf, drawSvg, drawText, headlineOf, type OutcomeId } from '../../src/draw/index.ts';
import { sceneOf } from '../../src/find/scene-of.ts';
import { builtInSubject } from '../../src/locks/index.ts';

const FOLDER = new URL('../../stories/', import.meta.url);
const names = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** A few are kept for a page that explains how a lock works. */
function outcomeOf({ expect: { kind }, property }: Story): OutcomeId {
  // What a fence refuses was late all the same.
  if (kind === 'ok') return property === 'resource' ? 'late' : 'holds';
  return property === 'belief' ? 'late' : 'breaks';
}

describe.each(names)('the story %s', (name) => {
  test('is drawn within the limits of a drawing, and tells what it is kept for', async () => {
    const story = parseStoryText(readFileSync(new URL(name, FOLDER), 'utf8'));
    const subject = builtInSubject(story.backend);
    if (subject === undefined) throw new Error(`there is no lock ${story.backend}`);
    const scene = sceneOf(await play(story.schedule, subject, { trace: true }), story);
    const text = drawText(scene);

    expect(headlineOf(scene).outcome).toBe(outcomeOf(story));
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(text.includes('↯')).toBe(story.schedule.faults.length > 0);
    expect(captionOf(scene).split(/\s+/).length).toBeLessThanOrEqual(25);
    expect(captionOf(scene)).not.toMatch(/for 0 ms|µs/);
    expect(drawSvg(scene)).toContain('</svg>');
  });
});
