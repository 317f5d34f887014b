import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The files that start a ZooKeeper server on this machine. */
export interface ZooKeeperInstall {
  readonly java: string;
  /** For `java -cp`. */
  readonly classPath: string;
  /** From the name of the jar, for reports. */
  readonly version: string | undefined;
}

/** The folder of Debian's package; the jar's manifest names all other jars that it needs. */
const DEBIAN_FOLDER = '/usr/share/java';

/** Installation advice for error messages. */
export const ZOOKEEPER_HINT: string = `install it with \`${installCommand()}\`, or set ZOOKEEPER_HOME to an unpacked release; it needs Java on PATH`;

function installCommand(): string {
  return process.platform === 'darwin'
    ? 'brew install zookeeper'
    : 'sudo apt-get install zookeeper';
}

/**
 * Returns ZooKeeper from `ZOOKEEPER_HOME` (an unpacked release), else Debian's, with Java from `JAVA_HOME` or PATH;
 * undefined without either.
 */
export function findZooKeeper(env: NodeJS.ProcessEnv = process.env): ZooKeeperInstall | undefined {
  const java = findJava(env);
  const home = env['ZOOKEEPER_HOME'];
  const jars = home === undefined ? debian() : release(home);
  return java === undefined || jars === undefined ? undefined : { java, ...jars };
}

function findJava(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['JAVA_HOME'];
  const folders = (env['PATH'] ?? '').split(delimiter);
  const candidates = home === undefined ? folders : [join(home, 'bin'), ...folders];
  return candidates.map((folder) => join(folder, 'java')).find(isExecutable);
}

type Jars = Pick<ZooKeeperInstall, 'classPath' | 'version'>;

function debian(): Jars | undefined {
  const version = versionIn(DEBIAN_FOLDER);
  const jar = join(DEBIAN_FOLDER, 'zookeeper.jar');
  // The binding is optional: without one the server does not log its errors.
  const binding = join(DEBIAN_FOLDER, 'slf4j-simple.jar');
  return isReadable(jar) ? { classPath: [jar, binding].join(delimiter), version } : undefined;
}

/** A release has its jars in `lib`, and its logger's configuration in `conf`. */
function release(home: string): Jars | undefined {
  const lib = join(home, 'lib');
  const version = versionIn(lib);
  if (version === undefined) return undefined;
  return { classPath: [join(home, 'conf'), join(lib, '*')].join(delimiter), version };
}

function versionIn(folder: string): string | undefined {
  const names = namesIn(folder).map((name) => /^zookeeper-(\d[\w.-]*)\.jar$/.exec(name)?.[1]);
  return names.find((version) => version !== undefined);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isReadable(path: string): boolean {
  return isAllowed(path, constants.R_OK);
}

function isExecutable(path: string): boolean {
  return isAllowed(path, constants.X_OK);
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Returns this Java's version as it prints it on stderr, for example `17.0.15`; undefined if it prints none. */
export function javaVersion(java: string): string | undefined {
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  return /version "([^"]+)"/.exec(stderr)?.[1];
}
