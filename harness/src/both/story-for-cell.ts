import { matrixRow } from '../compare/expectation.ts';
import { drawSvg, type Scene } from '../draw/index.ts';
import { compareLocks } from '../find/lock-comparison.ts';
import { readStory } from '../find/read-story.ts';
import { sceneOf } from '../find/scene-of.ts';
import type { SimulatedStory } from '../lab/index.ts';
import { builtInSubject, LOCKS } from '../locks/index.ts';
import { backendOf, CLAIMED, cellIn, type ExpectedCell, type LabCellId } from '../matrix/index.ts';
import { playGuarded } from '../search/index.ts';

/** Locks whose stories can be run on other locks: their schedules use servers. */
const LOCKS_WITH_STORIES: readonly string[] = LOCKS.flatMap(({ name, needs }) =>
  needs === 'nothing' ? [] : name,
);

/**
 * Returns the story of a fault on a lock: the smallest schedule that breaks the lock. If the fault does not break it,
 * returns its run of the smallest schedule that breaks another lock. Undefined if the fault breaks none.
 */
export async function storyForCell(place: LabCellId): Promise<SimulatedStory | undefined> {
  const row = matrixRow(place);
  const own = LOCKS_WITH_STORIES.find((donor) => donor === backendOf(place));
  if (row === undefined || own === undefined) return undefined;
  const name = storyIn(cellIn(row, own));
  if (name !== undefined) return await storyOfOwnLock(name, own);
  const others = LOCKS_WITH_STORIES.flatMap((donor) => storyIn(cellIn(row, donor)) ?? []);
  return others[0] === undefined ? undefined : await storyOfOtherLock(others[0], own);
}

function storyIn({ claims }: ExpectedCell): string | undefined {
  return CLAIMED.flatMap((claimed) => claims[claimed].story ?? [])[0];
}

async function storyOfOwnLock(name: string, column: string): Promise<SimulatedStory | undefined> {
  const { story } = readStory(name);
  const subject = builtInSubject(column);
  if (subject === undefined) return undefined;
  const scene = sceneOf(await playGuarded(story.schedule, subject, { trace: true }), story);
  return { name, ofAnother: false, drawing: drawn(scene, name) };
}

async function storyOfOtherLock(name: string, column: string): Promise<SimulatedStory | undefined> {
  const { scenes } = await compareLocks(readStory(name).story);
  const scene = scenes.find(({ title }) => title === column || title.startsWith(`${column},`));
  if (scene === undefined) return undefined;
  return { name, ofAnother: true, drawing: drawn(scene, `${name}-${column}`) };
}

function drawn(scene: Scene, id: string): string {
  return drawSvg(scene, { id });
}
