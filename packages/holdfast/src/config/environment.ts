import { ConfigError } from '@holdfast/core';
import * as v from 'valibot';
import { optionsOf, partsOf } from './check-config.ts';
import { NUMBER } from './url-parameters.ts';

/** `${NAME}`; and `$${NAME}`, which stands for that text itself. */
const REFERENCE = /\$(\$?)\{([^}]*)\}/g;
/** A text that is a reference and nothing else. */
const ALONE = /^\$\{([^}]*)\}$/;
const NAME = /^[A-Za-z_]\w*$/;

/**
 * Puts the values of environment variables in the place of `${NAME}` in all texts of a configuration. A text that is one
 * `${NAME}` becomes a number or a truth value, if the option takes one.
 * @param where the file that errors name
 * @throws ConfigError for a variable that is not set, or empty, or is not of the option's type, for what is no name of
 * one, and for too deep a nesting
 */
export function withEnvironment(config: unknown, where: string): unknown {
  try {
    return typed(config, inAllTexts(config, where), where);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigError(`${where} is nested too deeply`);
    throw error;
  }
}

function inAllTexts(config: unknown, where: string): unknown {
  if (typeof config === 'string') return substituted(config, where);
  if (Array.isArray(config)) return config.map((item) => inAllTexts(item, where));
  if (!isObject(config)) return config;
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

/** Converts the options that were one reference each; the options of an imported backend have no type, and stay texts. */
function typed(written: unknown, config: unknown, where: string): unknown {
  if (!isObject(written) || !isObject(config)) return config;
  const options = optionsOf(config);
  const parts = partsOf(config);
  const convert = (name: string, value: unknown): unknown => {
    const text = written[name];
    if (parts.includes(name)) return typed(text, value, `${where}, ${name}`);
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const [, variable] = (typeof text === 'string' ? ALONE.exec(text) : null) ?? [];
    if (option === undefined || variable === undefined || typeof value !== 'string') return value;
    return asWanted(value, option, () => `of ${variable} for "${name}" in ${where}`);
  };
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, convert(name, value)]),
  );
}

/** The number or the truth value that a text stands for, if the option takes that and no such text. */
function asWanted(text: string, option: v.GenericSchema, place: () => string): unknown {
  const expected = v.safeParse(option, text).issues?.[0].expected ?? '';
  if (/\bnumber\b/.test(expected)) {
    if (NUMBER.test(text)) return Number(text);
    throw new ConfigError(`the value ${place()} must be a whole number`);
  }
  if (expected !== 'boolean') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigError(`the value ${place()} must be true or false`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
