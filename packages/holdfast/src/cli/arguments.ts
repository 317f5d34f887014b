import { parseArgs } from 'node:util';
import { nearest } from '@holdfast/core/backend';
import { UsageError } from './usage-error.ts';

/** The options of a command: a flag; an option with a value, of which the last one counts; or one that may be given `once`. */
export type OptionKinds = Readonly<Record<string, 'flag' | 'value' | 'once'>>;

export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** Those after `--`, too. */
  readonly operands: readonly string[];
  /** The operands after `--`; undefined without it. */
  readonly afterDashes?: readonly string[] | undefined;
}

/**
 * Splits a command line.
 * @throws UsageError for an unknown option, an option without its value, or two values where there may be one
 */
export function parseArguments(args: readonly string[], kinds: OptionKinds): Arguments {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const operands: string[] = [];
  let dashesAt: number | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind === 'option-terminator') dashesAt = operands.length;
    if (token.kind !== 'option') continue;
    const kind = Object.hasOwn(kinds, token.name) ? kinds[token.name] : undefined;
    if (kind === undefined) throw unknownOption(token.rawName, Object.keys(kinds));
    if (kind === 'once' && values.has(token.name))
      throw new UsageError(`${token.rawName} is given twice`);
    if (kind === 'flag') flags.add(flagOf(token));
    else values.set(token.name, valueOf(token));
  }
  const afterDashes = dashesAt === undefined ? undefined : operands.slice(dashesAt);
  return { flags, values, operands, afterDashes };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
}

function flagOf({ name, rawName, value }: OptionToken): string {
  if (value !== undefined) throw new UsageError(`${rawName} must not have a value`);
  return name;
}

function valueOf({ rawName, value }: OptionToken): string {
  if (value === undefined || value === '') throw new UsageError(`${rawName} needs a value`);
  return value;
}

function unknownOption(rawName: string, known: readonly string[]): UsageError {
  const name = nearest(rawName.replace(/^-+/, ''), known);
  return new UsageError(
    `unknown option ${rawName}`,
    name === undefined ? undefined : `Did you mean --${name}?`,
  );
}
