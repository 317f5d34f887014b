import { headlineOf, type Scene } from '@holdfast/check';
import { play, type Schedule, type Story, type Subject } from '@holdfast/sim';
import { SUBJECTS } from '../search/index.ts';
import { sceneOf } from './scene-of.ts';

/** The same schedule on all our locks. */
export interface Answers {
  readonly title: string;
  readonly scenes: readonly Scene[];
}

/** Plays the schedule of a story on all locks that talk to servers: one fault, several answers. */
export async function answersTo({ schedule, fault, property, fenced }: Story): Promise<Answers> {
  const scenes: Scene[] = [];
  for (const subject of Object.values(SUBJECTS)) {
    if (subject.nodes === 0) continue;
    const played = await play(fitted(schedule, subject), subject, { trace: true });
    const own = sceneOf(played, { property, fenced: false }, subject.name);
    // What a lock without tokens does under a fence is no answer to anything.
    scenes.push(
      fenced && subject.tokens
        ? sceneOf(played, { property, fenced }, `${subject.name}, fenced`)
        : own,
    );
  }
  return {
    title: `One fault, ${COUNTS[scenes.length] ?? scenes.length} answers: ${fault}`,
    scenes: scenes.toSorted(byOrder),
  };
}

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five'];

/** As many servers as the lock needs; the fault strikes those that it named. */
function fitted(schedule: Schedule, { nodes }: Subject): Schedule {
  return { ...schedule, nodes: Math.max(schedule.nodes, nodes) };
}

/** In the order of the locks; none is better placed for what became of it. */
function byOrder(a: Scene, b: Scene): number {
  const names = Object.keys(SUBJECTS);
  const place = ({ title }: Scene): number =>
    names.findIndex((name) => title === name || title.startsWith(`${name},`));
  return place(a) - place(b);
}

/** What each came to, for a table. */
export function outcomesOf({ scenes }: Answers): readonly {
  readonly title: string;
  readonly headline: ReturnType<typeof headlineOf>;
}[] {
  return scenes.map((scene) => ({ title: scene.title, headline: headlineOf(scene) }));
}
