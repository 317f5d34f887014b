import { UsageError } from './usage-error.ts';

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
