import { ConfigError } from '@holdfast/core';
import { didYouMean, redactUrl } from '@holdfast/core/backend';
import * as v from 'valibot';

/** A URL without the parameters that are options, and these options, not checked yet. */
export interface SplitUrl {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Each option of a backend, with the schema of its value. */
export type Entries = Readonly<Record<string, v.GenericSchema>>;

/** A query has no `@`: what has one may be a password with a question mark. */
const WITH_QUERY = /^([^]*)\?([^?@#]*)$/;
/** The texts that stand for numbers. */
export const NUMBER: RegExp = /^(?:\d{1,16}|Infinity)$/;

/**
 * Takes the options of a backend out of the query of its URL: `redis://host?ttlMs=5000&require=fencing,cp`. Parameters
 * that are none stay, for the check of the URL.
 * @throws ConfigError for a parameter that is given twice, is not percent-encoded, or is a misspelt option
 */
export function splitUrl(url: string, entries: Entries): SplitUrl {
  const [, address = '', query] = WITH_QUERY.exec(url) ?? [];
  if (query === undefined) return { url, options: {} };
  const reject = (message: string): never => {
    throw new ConfigError(`URL "${redactUrl(url)}" ${message}`);
  };
  const options: Record<string, unknown> = {};
  const others: string[] = [];
  for (const parameter of query.split('&')) {
    const [name = '', ...rest] = parameter.split('=');
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (entry === undefined) {
      const hint = didYouMean(name, Object.keys(entries));
      // A name that is near to none may be a part of a password, and is not shown.
      if (hint !== '') reject(`has no parameter "${name}".${hint}`);
      others.push(parameter);
      continue;
    }
    if (Object.hasOwn(options, name)) reject(`has the parameter "${name}" twice`);
    options[name] = valueOf(decoded(rest.join('='), name, reject), entry);
  }
  return { url: others.length === 0 ? address : `${address}?${others.join('&')}`, options };
}

function decoded(text: string, name: string, reject: (message: string) => never): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return reject(`has a "${name}" that is not percent-encoded: a "%" itself is written "%25"`);
  }
}

/** The text, or the list, number or truth value that it stands for, whichever the option takes. */
function valueOf(text: string, entry: v.GenericSchema): unknown {
  // An array is an object too.
  if (v.is(entry, []) && !v.is(entry, {})) return text.split(',');
  const number = NUMBER.test(text) ? Number(text) : undefined;
  const flag = text === 'true' || text === 'false' ? text === 'true' : undefined;
  return (
    [text, number, flag].find((each) => v.is(entry, each) && each !== undefined) ?? number ?? text
  );
}
