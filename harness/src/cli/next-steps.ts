import { findRedisServer } from '../real/index.ts';

/** The commands to run after a comparison. */
export function nextSteps(servers: string, reportPath: string, env: NodeJS.ProcessEnv): string[] {
  const [first = '', ...rest] = nextCommands(servers, findRedisServer(env) !== undefined);
  return [
    `Report  ${reportPath}`,
    `Next    ${first}`,
    ...rest.map((command) => `        ${command}`),
  ];
}

function nextCommands(servers: string, isInstalled: boolean): readonly string[] {
  const isReal = servers !== 'embedded' && (servers !== 'auto' || isInstalled);
  if (isReal) {
    return ['npx holdfast compare --servers redis://your-server   # the same on a server of yours'];
  }
  const local =
    'npx holdfast compare --servers local   # the same on real servers, with real processes';
  return isInstalled ? [local] : [installCommand(), local];
}

/** The command that installs redis-server on this kind of machine. */
export function installCommand(platform: NodeJS.Platform = process.platform): string {
  return platform === 'darwin' ? 'brew install redis' : 'sudo apt-get install redis-server';
}
