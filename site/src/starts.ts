import { OWN_LOCK, type Story, type StoryCode } from '@holdfast/harness/playground';

/** Code that a reader can begin with, and a schedule on which it shows something. */
export interface Start {
  readonly id: string;
  readonly title: string;
  /** What is wrong with it, and its effect. */
  readonly why: string;
  readonly lock: string;
  readonly files: StoryCode['files'];
  readonly schedule: Story['schedule'] | undefined;
  /** The text that differs from the code that ships. */
  readonly selected?: { readonly from: number; readonly to: number };
}

export interface Starts {
  /** The files of every package as they ship. */
  readonly sources: Readonly<Record<string, StoryCode['files']>>;
  readonly all: readonly Start[];
}

/** A text edit of one file of a package, as `edit/starts.json` has it. */
interface Mistake {
  readonly name: string;
  readonly package: string;
  readonly lock: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly why: string;
  readonly schedule?: Story['schedule'];
}

interface Exercise {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly schedule?: Story['schedule'];
}

interface Stored {
  readonly mistakes: readonly Mistake[];
  readonly exercises: readonly Exercise[];
}

/** @throws Error if the site was built without them */
export async function loadStarts(base: URL): Promise<Starts> {
  const json = async <T>(name: string): Promise<T> => {
    const reply = await fetch(new URL(name, base));
    if (!reply.ok) throw new Error(`${name} cannot be loaded`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written when the site was built
    return (await reply.json()) as T;
  };
  const [sources, stored] = await Promise.all([
    json<Starts['sources']>('sources.json'),
    json<Stored>('starts.json'),
  ]);
  const mistakes = stored.mistakes.map((mistake) => mistakeStart(mistake, sources));
  return { sources, all: [...mistakes, ...stored.exercises.map(exerciseStart)] };
}

/** The starts that suit a lock: mistakes in its own package, and all exercises. */
export function startsFor(
  { all }: Starts,
  lock: string,
  name: string,
): { readonly mistakes: readonly Start[]; readonly exercises: readonly Start[] } {
  return {
    mistakes: all.filter((start) => start.id.startsWith(`${name}/`) && start.lock === lock),
    exercises: all.filter((start) => start.lock === OWN_LOCK),
  };
}

function mistakeStart(mistake: Mistake, sources: Starts['sources']): Start {
  const { name, lock, file, find, replace, why, schedule } = mistake;
  const text = sources[mistake.package]?.[file] ?? '';
  const from = text.indexOf(find);
  const files = { [file]: text.slice(0, from) + replace + text.slice(from + find.length) };
  return {
    id: `${mistake.package}/${name}`,
    title: name.replaceAll('-', ' '),
    why,
    lock,
    files,
    schedule,
    selected: { from, to: from + replace.trimEnd().length },
  };
}

function exerciseStart({ name, title, text, schedule }: Exercise): Start {
  return {
    id: `${OWN_LOCK}/${name}`,
    title,
    why: '',
    lock: OWN_LOCK,
    files: { [`${name}.js`]: text },
    schedule,
  };
}
