import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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

/** A lock of another library in a process of its own, steered by JSON lines as in `examples/external`. */
export class NeighbourProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (ok: boolean) => void>();
  /** Resolves when it serves. */
  readonly ready: Promise<void>;
  #requests = 0;

  constructor([command = '', ...args]: readonly string[]) {
    // A group of its own, so that what it starts ends with it.
    this.#child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.ready = new Promise((ready, fail) => {
      this.#child.once('error', fail);
      this.#child.once('exit', (code) => fail(new Error(`${command} ended with ${code}`)));
      createInterface({ input: this.#child.stdout ?? process.stdin }).on('line', (line) => {
        // A runtime may print warnings of its own.
        if (!line.startsWith('{')) return;
        const reply: { ready?: number; id?: number; ok?: boolean } = JSON.parse(line);
        if (reply.ready === 1) ready();
        this.#pending.get(reply.id ?? 0)?.(reply.ok === true);
      });
    });
    this.ready.catch(() => undefined);
  }

  /** Returns true if it acquired the key within `waitMs`. */
  acquire(key: string, waitMs: number, ttlMs?: number): Promise<boolean> {
    return this.#request({ do: 'acquire', key, waitMs, ...(ttlMs === undefined ? {} : { ttlMs }) });
  }

  release(key: string): Promise<boolean> {
    return this.#request({ do: 'release', key });
  }

  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  /** Ends the whole process group, as a crash does. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  async #request(request: object): Promise<boolean> {
    await this.ready;
    const id = ++this.#requests;
    return await new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined || this.#child.exitCode !== null) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

/** The command of an adapter, undefined if its language or library is not installed. */
export type Command = readonly string[] | undefined;

export function redisPy(address: string): Command {
  return python('redis', 'redis_lock.py', [address]);
}

/** `patterns` are what it counts as contenders besides its own nodes. */
export function kazoo(address: string, timeoutMs: number, patterns: readonly string[]): Command {
  return python('kazoo', 'kazoo_lock.py', [address, `${timeoutMs}`, ...patterns]);
}

export function curator(address: string, timeoutMs: number): Command {
  const jars = JAR_NAMES.map((name) => `${JARS}/${name}.jar`);
  if (!jars.every((jar) => existsSync(jar)) || spawnSync(JAVAC, ['-version']).status !== 0)
    return undefined;
  const options = ['-XX:TieredStopAtLevel=1', '-Xmx64m', '-cp', jars.join(':')];
  return ['java', ...options, `${EXTERNAL}CuratorLock.java`, address, `${timeoutMs}`];
}

function python(module: string, file: string, args: readonly string[]): Command {
  if (spawnSync(PYTHON, ['-c', `import ${module}`]).status !== 0) return undefined;
  return [PYTHON, `${EXTERNAL}${file}`, ...args];
}
