// Bundled and run when the site is built: the code that readers of the playground can begin with.
import { readdirSync, readFileSync } from 'node:fs';
import { DEBATED, EXHIBITS, LOCKS } from '../harness/src/locks/index.ts';
import { MUTANTS } from '../test/broken/mutants/index.ts';

/** Every package that can be edited, with its files; those that connect to servers are left out. */
export function sources(root) {
  const packages = new Map(
    [...LOCKS, ...EXHIBITS, ...DEBATED].flatMap(({ edited }) =>
      edited === undefined ? [] : [[edited.package, Object.keys(edited.shared ?? {})]],
    ),
  );
  return Object.fromEntries(
    [...packages].map(([name, shared]) => [name, filesOf(folderOf(root, name), shared)]),
  );
}

function folderOf(root, name) {
  return name === 'exhibits' ? `${root}harness/src/exhibits/` : `${root}packages/${name}/src/`;
}

function filesOf(folder, shared) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter(
      (path) => path.endsWith('.ts') && !path.startsWith('adapters') && !shared.includes(path),
    );
  return Object.fromEntries(paths.map((path) => [path, readFileSync(folder + path, 'utf8')]));
}

/**
 * Mutants that are a text edit of one file of an editable package, and the exercises of the lessons. Clients of the page
 * hold alone, so mistakes with readers and permits would show nothing there.
 */
export function starts(root) {
  const packageOf = new Map(LOCKS.map(({ name, edited }) => [name, edited?.package]));
  const mistakes = MUTANTS.filter(
    (mutant) =>
      packageOf.get(mutant.trial.subject) === mutant.package &&
      mutant.trial.modes === undefined &&
      !mutant.file.startsWith('adapters'),
  ).map(({ name, package: of, file, find, replace, why, trial }) => ({
    name,
    package: of,
    lock: trial.subject,
    file,
    find,
    replace,
    why,
    ...scheduleOf(`${root}test/broken/stories/${name}.json`),
  }));
  const folder = `${root}docs/lessons/exercises/`;
  const exercises = readdirSync(folder)
    .toSorted()
    .map((file) => {
      const text = readFileSync(folder + file, 'utf8');
      const name = file.replace(/\.js$/, '');
      const [, lesson, words] = /^(\d+)-(.+)$/.exec(name);
      return { name, title: `Lesson ${Number(lesson)}: ${words.replaceAll('-', ' ')}`, text };
    });
  return { mistakes, exercises };
}

function scheduleOf(path) {
  try {
    return { schedule: JSON.parse(readFileSync(path, 'utf8')).schedule };
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}
