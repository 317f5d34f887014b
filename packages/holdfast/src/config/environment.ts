import { ConfigError } from '@holdfast/core';

/** `${NAME}`; and `$${NAME}`, which stands for that text itself. */
const REFERENCE = /\$(\$?)\{([^}]*)\}/g;
const NAME = /^[A-Za-z_]\w*$/;

/**
 * Puts the values of environment variables in the place of `${NAME}` in all texts of a configuration.
 * @param where the file that errors name
 * @throws ConfigError for a variable that is not set, or empty, for what is no name of one, and for too deep a nesting
 */
export function withEnvironment(config: unknown, where: string): unknown {
  try {
    return inAllTexts(config, where);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigError(`${where} is nested too deeply`);
    throw error;
  }
}

function inAllTexts(config: unknown, where: string): unknown {
  if (typeof config === 'string') return substituted(config, where);
  if (Array.isArray(config)) return config.map((item) => inAllTexts(item, where));
  if (typeof config !== 'object' || config === null) return config;
  const entries = Object.entries(config);
  return Object.fromEntries(entries.map(([name, value]) => [name, inAllTexts(value, where)]));
}

function substituted(text: string, where: string): string {
  return text.replaceAll(REFERENCE, (whole, escape: string, name: string) =>
    escape === '' ? valueOf(name, where) : whole.slice(1),
  );
}

/** The value is in no error: it may be a password. */
function valueOf(name: string, where: string): string {
  if (!NAME.test(name)) {
    throw new ConfigError(
      `${where}: "\${…}" must name an environment variable, such as \${REDIS_URL}; write "$\${" for the text itself`,
    );
  }
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  const state = value === undefined ? 'not set' : 'empty';
  throw new ConfigError(`${where} needs the environment variable ${name}, which is ${state}`);
}
