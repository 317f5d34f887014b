import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type PlayResult,
  parseSchedule,
  parseStoryText,
  play,
  type Story,
} from '@holdfast/harness/simulator';
import {
  minimiseToStory,
  propertyName,
  replayTraced,
  search,
  TARGET_PROPERTIES,
  type TargetProperty,
  type Violation,
  violationOf,
} from '../../harness/test/kit/search.ts';
import { setupsFor } from './bench.ts';
import { columnNamed } from './campaign.ts';
import { counterpartOf } from './columns.ts';
import type { FoundStory } from './found.ts';

/** The column, fault and kind of violation that a story shows. */
export type StoryKey = Omit<FoundStory, 'runs'>;

/** A story as it was played just now. */
export interface ReplayedStory {
  readonly tale: FoundStory;
  readonly story: Story;
  readonly played: PlayResult;
  readonly violation: Violation;
  /** The same schedule on our lock. */
  readonly ours: { readonly name: string; readonly story: Story };
}

/** A plain pause of a second lock is played in milliseconds, a poll every ten of them takes its time. */
const PLAYS_MAX = 600;

function wantedOf({ kind }: Pick<FoundStory, 'kind'>): TargetProperty {
  const wanted = TARGET_PROPERTIES.find((each) => propertyName(each) === kind);
  if (wanted === undefined) throw new Error(`unknown property ${kind}`);
  return wanted;
}

/** Returns the number of schedules until it is found from a seed; undefined if the budget does not suffice. */
export async function runsToFind(
  tale: StoryKey,
  { seed, budget }: { readonly seed: number; readonly budget: number },
): Promise<number | undefined> {
  return (await hitOf(tale, seed, budget))?.n;
}

/** Finds it anew, and makes it small. */
export async function minimalStory(tale: StoryKey, budget: number): Promise<Story> {
  const { subject } = columnNamed(tale.column);
  const hit = await hitOf(tale, 1, budget);
  if (hit === undefined) throw new Error(`${tale.column} withstands ${tale.fault} now`);
  const options = { playsMax: PLAYS_MAX, guard: false };
  return (await minimiseToStory(hit.schedule, subject, wantedOf(tale), options)).story;
}

async function hitOf(tale: StoryKey, seed: number, budget: number) {
  const column = columnNamed(tale.column);
  const { subject } = column;
  const { counterexample } = await search({
    subject,
    setup: setupsFor(column, tale.fault)[0]?.setup ?? {},
    faults: [tale.fault],
    targets: [wantedOf(tale)],
    budget,
    seed,
    guard: false,
  });
  return counterexample;
}

export function storyFile({ column, fault, kind }: StoryKey): string {
  const name = `${column} ${fault} ${kind}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return fileURLToPath(new URL(`stories/${name}.json`, import.meta.url));
}

export function keptStory(tale: StoryKey): Story {
  const file = storyFile(tale);
  if (!existsSync(file)) throw new Error(`no story is kept of ${tale.column} under ${tale.fault}`);
  return parseStoryText(readFileSync(file, 'utf8'));
}

/** Plays a story again, the kept one by default, on the library and on ours. */
export async function replayFound(
  tale: FoundStory,
  kept: Story = keptStory(tale),
): Promise<ReplayedStory> {
  // In the one order of its fields, which a replay string shows.
  const schedule = parseSchedule(kept.schedule);
  const column = columnNamed(tale.column);
  const wanted = wantedOf(tale);
  const told = await replayTraced(schedule, column.subject, wanted, { guard: false });
  const counterpart = counterpartOf(column);
  const played = await play(schedule, counterpart.subject, { trace: true });
  const expect: Story['expect'] = {
    kind: violationOf(played, wanted)?.kind ?? 'ok',
    hash: played.hash ?? '',
  };
  const story: Story = { ...told.story, backend: counterpart.subject.name, expect };
  return { tale, ...told, ours: { name: counterpart.subject.name, story } };
}
