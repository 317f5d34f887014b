/** What the benchmark takes from built packages without their exporting it. */

interface Script {
  readonly source: string;
}

interface LocalServer {
  readonly url: string;
  close(): Promise<void>;
}

async function load<T>(path: string, isIt: (module: object) => module is T & object): Promise<T> {
  const url = new URL(`../../packages/${path}`, import.meta.url).href;
  const module: unknown = await import(url);
  if (typeof module === 'object' && module !== null && isIt(module)) return module;
  throw new Error(`${path} does not hold what the benchmark expects`);
}

/** The backend's own scripts, so that raw calls give the same guarantees. */
export async function lockScripts(): Promise<{ acquire: string; release: string }> {
  const scripts = 'redis-simple/dist/scripts';
  const [{ ACQUIRE }, { RELEASE }] = await Promise.all([
    load(`${scripts}/acquire.js`, (module): module is { ACQUIRE: Script } => 'ACQUIRE' in module),
    load(`${scripts}/release.js`, (module): module is { RELEASE: Script } => 'RELEASE' in module),
  ]);
  return { acquire: ACQUIRE.source, release: RELEASE.source };
}

interface LocalRedis {
  readonly RedisServer: { start(): Promise<LocalServer> };
  readonly redisServerVersion: () => string | undefined;
}

/** How the project starts a redis-server of its own. */
export function localRedis(): Promise<LocalRedis> {
  return load(
    'holdfast/dist/local/redis-server.js',
    (module): module is LocalRedis => 'RedisServer' in module && 'redisServerVersion' in module,
  );
}

interface Simulator {
  readonly play: (schedule: object, subject: object) => Promise<{ readonly accepted: number }>;
  readonly SUBJECTS: Readonly<Record<'memory' | 'redis-simple' | 'redlock', object>>;
}

/** What searches for violations: it plays schedules on our own locks. */
export function simulator(): Promise<Simulator> {
  return load(
    'holdfast/dist/search/index.js',
    (module): module is Simulator => 'play' in module && 'SUBJECTS' in module,
  );
}
