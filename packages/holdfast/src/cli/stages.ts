import { EmbeddedStage } from '../compare/embedded-stage.ts';
import type { Stage } from '../compare/stage.ts';
import { nearest } from '../config/nearest.ts';
import { findRedisServer } from '../local/redis-server.ts';
import { ownServer, type Server, startLocalServer } from '../local/server.ts';
import { ServersStage } from '../local/servers-stage.ts';
import type { Chosen } from './chosen.ts';
import { installCommand } from './install-command.ts';
import type { Settings } from './settings.ts';
import { sourceFromEnv } from './source-argument.ts';
import { UsageError } from './usage-error.ts';

/** A stage that is not set up yet. */
export interface OpenStage {
  readonly name: string;
  readonly open: () => Promise<Stage>;
}

const WORDS = ['embedded', 'local', 'auto', 'own'];

/**
 * The stages that `--servers` asks for, in order.
 * @throws UsageError for a word that means nothing, or a server that is not installed
 */
export function stagesFor(
  servers: string,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  chosen: Chosen = {},
): readonly OpenStage[] {
  const embedded: OpenStage = {
    name: 'embedded',
    open: () => Promise.resolve(new EmbeddedStage({ ...settings, ...chosen })),
  };
  const local = onServer('local', startLocalServer, settings);
  const isInstalled = findRedisServer(env) !== undefined;
  switch (servers) {
    case 'embedded':
      return [embedded];
    case 'local':
      if (isInstalled) return [local];
      throw new UsageError('redis-server is not installed', `Install it: ${installCommand()}`);
    case 'auto':
      return isInstalled ? [embedded, local] : [embedded];
    default: {
      const source = servers === 'own' ? sourceFromEnv(env) : sourceOf(servers);
      return [onServer('own', () => ownServer(source), settings)];
    }
  }
}

function onServer(name: string, start: () => Promise<Server>, settings: Settings): OpenStage {
  const { processes, waiters, rounds, trials, ttlMs } = settings;
  const effort = { waiters, rounds, roundsUnderFault: 3, trials, thinkMs: 1, ttlMs };
  return {
    name,
    open: async () => {
      const server = await start();
      try {
        return await ServersStage.open(server, { processes, effort });
      } catch (error) {
        await server.close();
        throw error;
      }
    },
  };
}

/** A URL or a path; anything else was meant to be one of our words. */
function sourceOf(servers: string): string {
  if (/[/\\:.]/.test(servers)) return servers;
  const meant = nearest(servers, WORDS);
  const hint =
    meant === undefined ? `It is ${WORDS.join(', ')}, a URL or a file.` : `Did you mean ${meant}?`;
  throw new UsageError(`--servers ${servers} is nothing known`, hint);
}
