// Finds the servers that tests need, and the browser, and installs the missing ones with apt-get where that is possible.
// `node scripts/ensure-servers.mjs` alone does it and says what is still missing.
import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * `variable` names it by hand, `find` says where it is or should be, `needs` is a program that it runs on, `stages`
 * cannot run without it. One that is optional is a gap to be reported, never a failure.
 */
export const servers = [
  {
    name: 'redis-server',
    variable: 'REDIS_SERVER',
    find: (env) => env.REDIS_SERVER ?? onPath('redis-server', env),
    packages: { apt: 'redis-server', brew: 'redis' },
    stages: ['servers', 'deep-servers'],
  },
  {
    name: 'zookeeper',
    variable: 'ZOOKEEPER_HOME',
    find: (env) =>
      env.ZOOKEEPER_HOME === undefined
        ? '/usr/share/java/zookeeper.jar'
        : join(env.ZOOKEEPER_HOME, 'lib'),
    needs: 'java',
    // Debian's package brings Java along.
    packages: { apt: 'zookeeper', brew: 'zookeeper' },
    stages: ['servers', 'deep-servers'],
  },
  {
    name: 'etcd',
    variable: 'ETCD_SERVER',
    find: (env) => env.ETCD_SERVER ?? onPath('etcd', env),
    packages: { apt: 'etcd-server', brew: 'etcd' },
    stages: ['servers', 'deep-servers'],
  },
  {
    name: 'etcdctl',
    variable: 'ETCDCTL',
    find: (env) => env.ETCDCTL ?? onPath('etcdctl', env),
    packages: { apt: 'etcd-client', brew: 'etcd' },
    stages: ['servers', 'deep-servers'],
  },
  {
    name: 'postgresql',
    variable: 'POSTGRES_BIN',
    find: (env) =>
      env.POSTGRES_BIN === undefined
        ? (debianPostgres() ?? onPath('initdb', env))
        : join(env.POSTGRES_BIN, 'initdb'),
    packages: { apt: 'postgresql', brew: 'postgresql@17' },
    stages: ['servers', 'deep-servers'],
  },
  {
    name: 'pgbouncer',
    variable: 'PGBOUNCER',
    find: (env) => env.PGBOUNCER ?? onPath('pgbouncer', { PATH: `${env.PATH}:/usr/sbin` }),
    packages: { apt: 'pgbouncer', brew: 'pgbouncer' },
    stages: ['servers', 'deep-servers'],
    isOptional: true,
  },
  {
    name: 'prometheus',
    variable: 'PROMETHEUS',
    find: (env) => env.PROMETHEUS ?? onPath('prometheus', env),
    packages: { apt: 'prometheus', brew: 'prometheus' },
    stages: ['deep-servers'],
    isOptional: true,
  },
  {
    name: 'chromium',
    variable: 'CHROMIUM',
    find: (env) =>
      env.CHROMIUM ??
      onPath('chromium', env) ??
      onPath('chromium-browser', env) ??
      onPath('google-chrome', env) ??
      onPath('google-chrome-stable', env),
    packages: { apt: 'chromium', brew: '--cask chromium' },
    stages: ['browser'],
    isOptional: true,
  },
];

function onPath(name, env) {
  const candidates = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.find((path) => has(path, constants.X_OK));
}

/** Debian keeps the programs of each release in a folder of its own, off PATH. */
function debianPostgres() {
  const folder = '/usr/lib/postgresql';
  if (!has(folder, constants.R_OK)) return undefined;
  const candidates = readdirSync(folder).map((release) => join(folder, release, 'bin/initdb'));
  return candidates.find((path) => has(path, constants.X_OK));
}

function has(path, mode) {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function isFound(server, env) {
  const path = server.find(env);
  const isThere = server.needs === undefined ? constants.X_OK : constants.R_OK;
  return path !== undefined && has(path, isThere) && lackOf(server, env) === undefined;
}

/** The program that it runs on, where that is not there. */
function lackOf({ needs }, env) {
  if (needs === undefined) return undefined;
  const PATH =
    env.JAVA_HOME === undefined ? env.PATH : `${env.JAVA_HOME}/bin${delimiter}${env.PATH}`;
  return onPath(needs, { PATH }) === undefined ? needs : undefined;
}

/** The servers that these stages need and this machine does not have. */
export function missingServers(stages, env = process.env) {
  const needed = servers.filter((server) => server.stages.some((stage) => stages.includes(stage)));
  return needed.filter((server) => !isFound(server, env));
}

/** The reason why a server counts as missing, and the command that would install it. */
export function explainMissing(server, env = process.env) {
  const install =
    process.platform === 'darwin'
      ? `brew install ${server.packages.brew}`
      : `sudo apt-get install ${server.packages.apt}`;
  return { reason: reasonFor(server, env), install };
}

function reasonFor(server, env) {
  const lack = lackOf(server, env);
  if (lack !== undefined) return `${server.name} needs ${lack}, which is not on PATH`;
  const named = env[server.variable];
  return named === undefined
    ? `${server.name} is neither installed nor named by ${server.variable}`
    : `${server.variable}=${named} is not there`;
}

function apt(...args) {
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args];
  // RUNLEVEL=1 keeps Debian from starting the freshly installed server as a service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return new Promise((done) => {
    const child = spawn('apt-get', options, { stdio: 'ignore', env });
    child.once('error', () => done(false));
    child.once('exit', (code) => done(code === 0));
  });
}

function installAll(names) {
  return apt('install', '-y', '--no-install-recommends', ...names);
}

/**
 * Installs what these stages miss, when we are root on a machine with apt-get. A server that was named by hand is
 * never replaced. Resolves to what is missing still.
 */
export async function ensureServers(stages, env = process.env) {
  const installable = missingServers(stages, env).filter(
    (server) => env[server.variable] === undefined,
  );
  const canInstall = process.getuid?.() === 0 && onPath('apt-get', env) !== undefined;
  if (installable.length > 0 && canInstall) {
    await apt('update');
    const names = installable.map(({ packages }) => packages.apt);
    // Then one by one: what some distribution does not have must not keep the others away.
    if (!(await installAll(names))) for (const name of names) await installAll([name]);
  }
  return missingServers(stages, env);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const missing = await ensureServers(['servers', 'deep-servers']);
  for (const server of missing) {
    const { reason, install } = explainMissing(server);
    console.error(`${reason}; to install it: ${install}`);
  }
  process.exitCode = missing.length > 0 ? 1 : 0;
}
