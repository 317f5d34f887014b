import { isWholeUs, type Range } from './fields.ts';

const SHOWN_MAX = 40;

/** A part of some JSON, with its path; a value of another type or range is a {@link ScheduleError}. */
export class JsonReader {
  readonly #value: unknown;
  readonly path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.path = path;
  }

  at(name: string): JsonReader {
    return new JsonReader(this.#object()[name], this.path === '' ? name : `${this.path}.${name}`);
  }

  has(name: string): boolean {
    return this.#object()[name] !== undefined;
  }

  /** Rejects unknown fields: a misspelt name would otherwise change the meaning silently. */
  only(names: readonly string[]): this {
    const other = Object.keys(this.#object()).find((name) => !names.includes(name));
    if (other !== undefined) this.at(other).refuse(`unknown field; use one of ${names.join(', ')}`);
    return this;
  }

  /** The names of all fields. */
  names(max: number): readonly string[] {
    const names = Object.keys(this.#object());
    return names.length <= max
      ? names
      : this.refuse(`has ${names.length} fields, more than ${max}`);
  }

  list(max: number): readonly JsonReader[] {
    const value = this.#value;
    if (!Array.isArray(value)) return this.refuse(`must be a list, not ${shown(value)}`);
    if (value.length > max) return this.refuse(`has ${value.length} elements, more than ${max}`);
    return value.map((each: unknown, i) => new JsonReader(each, `${this.path}[${i}]`));
  }

  text(max = 200): string {
    const value = this.#value;
    if (typeof value !== 'string') return this.refuse(`must be a text, not ${shown(value)}`);
    return value.length <= max ? value : this.refuse(`is longer than ${max} characters`);
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const value = this.text();
    const word = words.find((each) => each === value);
    return word ?? this.refuse(`must be one of ${words.join(', ')}, not ${shown(value)}`);
  }

  flag(): boolean {
    const value = this.#value;
    return typeof value === 'boolean'
      ? value
      : this.refuse(`must be true or false, not ${shown(value)}`);
  }

  whole({ min, max }: Omit<Range, 'benign'>): number {
    const value = this.#value;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
      return value;
    return this.refuse(`must be a whole number from ${min} to ${max}, not ${shown(value)}`);
  }

  /** A number of ms, to the µs. */
  exact({ min, max }: Omit<Range, 'benign'>): number {
    const value = this.#value;
    if (typeof value === 'number' && isWholeUs(value) && value >= min && value <= max) return value;
    return this.refuse(
      `must be a number of ms from ${min} to ${max}, to the µs, not ${shown(value)}`,
    );
  }

  /** Reads all the numbers that `ranges` names. */
  numbers<N extends string>(ranges: Readonly<Record<N, Range>>): Record<N, number>;
  numbers(ranges: Readonly<Record<string, Range>>): Record<string, number> {
    return Object.fromEntries(
      Object.entries(ranges).map(([name, range]) => {
        const at = this.at(name);
        return [name, range.inUs === true ? at.exact(range) : at.whole(range)];
      }),
    );
  }

  refuse(why: string): never {
    throw new ScheduleError(this.path, why);
  }

  #object(): Readonly<Record<string, unknown>> {
    const value = this.#value;
    if (!isObject(value)) return this.refuse(`must be an object, not ${shown(value)}`);
    return value;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

/** An invalid schedule or story; `path` is the place, for example `faults[1].client`. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
  readonly path: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(path === '' ? why : `${path}: ${why}`, { cause });
    this.path = path;
  }
}
