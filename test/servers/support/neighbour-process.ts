import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AdapterProcess } from '../../../harness/test/kit/real-servers.ts';

const EXTERNAL = fileURLToPath(new URL('../../../examples/external/', import.meta.url));
const PYTHON = process.env['PYTHON3'] ?? '/usr/bin/python3';
/** Where Debian's libcurator-recipes-java and what it needs are. */
const JARS = process.env['JAVA_JARS'] ?? '/usr/share/java';
/** Of a JDK: without it Java runs no source. */
const JAVAC = 'javac';
const JAR_NAMES = [
  'curator-recipes',
  'curator-framework',
  'curator-client',
  'guava',
  'zookeeper',
  'zookeeper-jute',
  'slf4j-api',
  'slf4j-nop',
];

/** Compiles quickly, not well. */
const QUICK_START = ['-XX:TieredStopAtLevel=1', '-Xmx64m'];

/** How a neighbour is started. */
export interface Neighbour {
  readonly command: string;
  readonly server: string;
  readonly ttlMs: number;
}

/** A lock of another library in a process of its own, steered by the lines of docs/testing/external.md. */
export class NeighbourProcess {
  readonly #started: ReturnType<typeof AdapterProcess.start>;
  #adapter: AdapterProcess | undefined;
  /** Resolves when it serves. */
  readonly ready: Promise<unknown>;

  constructor({ command, server, ttlMs }: Neighbour) {
    this.#started = AdapterProcess.start({
      command,
      greeting: { client: 'theirs', servers: [server], resource: '127.0.0.1:1', ttlMs },
      failed: () => undefined,
    });
    this.ready = this.#started.then(({ adapter }) => (this.#adapter = adapter));
    this.ready.catch(() => undefined);
  }

  /** Returns true if it acquired the key within `waitMs`. */
  async acquire(key: string, waitMs: number): Promise<boolean> {
    const { adapter } = await this.#started;
    return (await adapter.request({ do: 'acquire', key, waitMs })).ok;
  }

  async release(key: string): Promise<boolean> {
    const { adapter } = await this.#started;
    return (await adapter.request({ do: 'release', key })).ok;
  }

  pause(): void {
    this.#adapter?.signal('SIGSTOP');
  }

  resume(): void {
    this.#adapter?.signal('SIGCONT');
  }

  /** Ends the whole process group, as a crash does. */
  kill(): void {
    this.#adapter?.kill();
  }
}

/** A neighbour, undefined if its language or library is not installed. */
export type Command = Neighbour | undefined;

export function redisPy(server: string, ttlMs: number, options: readonly string[] = []): Command {
  const command = python('redis', 'redis_lock.py', options);
  return command === undefined ? undefined : { command, server, ttlMs };
}

/** `patterns` are what it counts as contenders besides its own nodes. */
export function kazoo(server: string, ttlMs: number, patterns: readonly string[]): Command {
  const command = python('kazoo', 'kazoo_lock.py', patterns);
  return command === undefined ? undefined : { command, server, ttlMs };
}

export function curator(server: string, ttlMs: number): Command {
  const command = javaCommand(`${EXTERNAL}CuratorLock.java`, QUICK_START);
  return command === undefined ? undefined : { command, server, ttlMs };
}

/** Runs a source that uses Curator; undefined if a JDK or its jars are not installed. */
export function javaCommand(source: string, options: readonly string[] = []): string | undefined {
  const jars = JAR_NAMES.map((name) => `${JARS}/${name}.jar`);
  if (!jars.every((jar) => existsSync(jar)) || spawnSync(JAVAC, ['-version']).status !== 0)
    return undefined;
  return ['java', ...options, '-cp', jars.join(':'), source].join(' ');
}

/** By the name of its jar, such as 5.4.0. */
export function curatorVersion(): string | undefined {
  const names = readdirSync(JARS).map((name) => /^curator-recipes-([\d.]+)\.jar$/.exec(name)?.[1]);
  return names.find((version) => version !== undefined);
}

/** An adapter for a library of npm. */
export function npm(file: string, ...args: readonly string[]): string {
  return [`'${process.execPath}'`, `'${EXTERNAL}${file}'`, ...args].join(' ');
}

function python(module: string, file: string, args: readonly string[]): string | undefined {
  if (spawnSync(PYTHON, ['-c', `import ${module}`]).status !== 0) return undefined;
  return [PYTHON, `${EXTERNAL}${file}`, ...args].join(' ');
}
