/** Loads internals of built packages, which they do not export. */

interface LuaScript {
  readonly source: string;
}

export async function load<T>(
  path: string,
  isIt: (module: object) => module is T & object,
): Promise<T> {
  const url = new URL(`../../${path}`, import.meta.url).href;
  const module: unknown = await import(url);
  if (typeof module === 'object' && module !== null && isIt(module)) return module;
  throw new Error(`${path} does not hold what the benchmark expects`);
}

/** The backend's own scripts, so that raw calls give equal guarantees. */
export async function lockScripts(): Promise<{ acquire: string; release: string }> {
  const { ACQUIRE, RELEASE } = await load(
    'packages/redis-simple/dist/scripts.js',
    (module): module is { ACQUIRE: LuaScript; RELEASE: LuaScript } =>
      'ACQUIRE' in module && 'RELEASE' in module,
  );
  return { acquire: ACQUIRE.source, release: RELEASE.source };
}

/** The result of a run of a schedule. */
export interface Played {
  readonly accepted: number;
  readonly hash: string | undefined;
}

/** A lock under test, and the property to violate. */
export type Subject = object;

export interface TargetProperty {
  readonly property: 'validity' | 'resource';
  readonly fenced: boolean;
}

interface Simulator {
  readonly play: (
    schedule: object,
    subject: Subject,
    options?: { readonly trace: boolean },
  ) => Promise<Played>;
}

interface Locks {
  /** A built-in lock by its name. */
  readonly subjectOf: (name: string) => Subject;
}

interface Search {
  readonly search: (options: {
    readonly subject: Subject;
    readonly faults: readonly string[];
    readonly targets?: readonly TargetProperty[];
    readonly budget: number;
    readonly seed: number;
    readonly setup?: { readonly faultsMax: number };
  }) => Promise<{ readonly counterexample: { readonly schedule: object } | undefined }>;
  readonly minimiseToStory: (
    schedule: object,
    subject: Subject,
    targets: TargetProperty,
    options: { readonly seed: number },
  ) => Promise<{ readonly plays: number }>;
}

/** One thread that tests a lock, as `holdfast find` uses them. */
export interface LockRunner {
  searchPart(
    request: object,
    options: {
      readonly limit: object;
      readonly share: { readonly first: number; readonly of: number };
    },
  ): Promise<{ readonly tally: { readonly schedules: number } }>;
  close(): Promise<void>;
}

interface Runners {
  readonly openRunners: (
    lock: string,
    folder: string,
    jobs: number,
  ) => Promise<readonly LockRunner[]>;
}

interface SharedLimits {
  readonly SharedLimit: new (n: number) => object;
}

/** The simulator, and its search for violations of built-in locks. */
export async function simulator(): Promise<Simulator & Search & Locks> {
  const [{ play }, { search, minimiseToStory }, { subjectOf }] = await Promise.all([
    load('harness/dist/simulator/index.js', (module): module is Simulator => 'play' in module),
    load(
      'harness/dist/search/index.js',
      (module): module is Search => 'search' in module && 'minimiseToStory' in module,
    ),
    load('harness/dist/locks/index.js', (module): module is Locks => 'subjectOf' in module),
  ]);
  return { play, search, minimiseToStory, subjectOf };
}

/** The threads of `holdfast find`. */
export async function threads(): Promise<Runners & SharedLimits> {
  const [{ openRunners }, { SharedLimit }] = await Promise.all([
    load(
      'harness/dist/find/open-runners.js',
      (module): module is Runners => 'openRunners' in module,
    ),
    load(
      'harness/dist/find/shared-memory.js',
      (module): module is SharedLimits => 'SharedLimit' in module,
    ),
  ]);
  return { openRunners, SharedLimit };
}
