import type { Arguments, OptionKinds } from './arguments.ts';
import { UsageError } from './usage-error.ts';

/** The options of a command that say which store it uses: a second one is a mistake, since locks in two stores exclude nobody. */
export const SOURCE_OPTIONS: OptionKinds = { on: 'once', config: 'once', store: 'once' };

/** Their lines in the help of a command. */
export const SOURCE_HELP: string = `  --on X          a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG
  --config FILE   the same, for a file
  --store NAME    which of the stores in that file`;

/**
 * Returns the URL or the file that the options name, else that of the environment.
 * @throws UsageError if there is none, or if there are two
 */
export function sourceOf({ values }: Pick<Arguments, 'values'>, env: NodeJS.ProcessEnv): string {
  const on = values.get('on');
  const config = values.get('config');
  if (on !== undefined && config !== undefined)
    throw new UsageError('use --on or --config, not both');
  return on ?? config ?? sourceFromEnv(env);
}

/**
 * Reads the server from the environment. Only the command does this; the library reads no variable but those that a
 * configuration file names.
 * @throws UsageError if the environment has none, or two
 */
export function sourceFromEnv(env: NodeJS.ProcessEnv): string {
  const url = env['HOLDFAST_URL'] ?? '';
  const config = env['HOLDFAST_CONFIG'] ?? '';
  if (url !== '' && config !== '') {
    throw new UsageError('HOLDFAST_URL and HOLDFAST_CONFIG are both set', 'Unset one of them.');
  }
  if (url === '' && config === '') {
    throw new UsageError(
      'no server is named',
      'Set HOLDFAST_URL, for example to redis://localhost:6379, or HOLDFAST_CONFIG to a configuration file.',
    );
  }
  return url === '' ? config : url;
}
