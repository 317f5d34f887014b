import { fault, LuaError } from './errors.ts';
import type { LuaValue } from './values.ts';

/** A Lua table: 1 to n in an array, all other keys in a map in order of insertion. */
export class LuaTable {
  readonly array: LuaValue[];
  readonly readOnly: boolean = false;
  #map: Map<LuaValue, LuaValue> | undefined;

  constructor(array: LuaValue[] = []) {
    this.array = array;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key >= 1 && key <= this.array.length && Number.isInteger(key))
      return this.array[key - 1];
    return this.#map?.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    if (this.readOnly) throw fault('Attempt to modify a readonly table');
    if (typeof key === 'number' && this.#setIndex(key, value)) return;
    if (key === undefined) throw fault('table index is nil');
    if (value !== undefined) (this.#map ??= new Map()).set(key, value);
    else if (this.#map?.has(key) === true) this.#map.set(key, undefined);
  }

  /** Adds the listed values of a constructor, over the fields that its keys have set. */
  fill(values: readonly LuaValue[]): this {
    if (this.array.length === 0) this.array.push(...values);
    else for (const [at, value] of values.entries()) this.set(at + 1, value);
    return this;
  }

  /** A border: n such that n exists and n + 1 does not. For a table built by a constructor it equals Lua 5.1's. */
  length(): number {
    const { array } = this;
    if (array.length === 0 || array[array.length - 1] !== undefined) return array.length;
    let [low, high] = [0, array.length];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (array[middle - 1] === undefined) high = middle;
      else low = middle;
    }
    return low;
  }

  *entries(): Generator<readonly [LuaValue, LuaValue]> {
    for (let at = 0; at < this.array.length; at++) {
      const value = this.array[at];
      if (value !== undefined) yield [at + 1, value];
    }
    if (this.#map === undefined) return;
    for (const entry of this.#map) if (entry[1] !== undefined) yield entry;
  }

  /** The entry after this key; undefined after the last. A removed key keeps its place during iteration. */
  next(key: LuaValue): readonly [LuaValue, LuaValue] | undefined {
    let found = key === undefined;
    for (const entry of this.#slots()) {
      if (found && entry[1] !== undefined) return entry;
      found ||= entry[0] === key;
    }
    if (!found) throw new LuaError("invalid key to 'next'");
    return undefined;
  }

  *#slots(): Generator<readonly [LuaValue, LuaValue]> {
    for (let at = 0; at < this.array.length; at++) yield [at + 1, this.array[at]];
    if (this.#map !== undefined) yield* this.#map;
  }

  /** True if the key belongs to the array, which then stores the value. */
  #setIndex(key: number, value: LuaValue): boolean {
    if (Number.isNaN(key)) throw fault('table index is NaN');
    const { array } = this;
    if (!Number.isInteger(key) || key < 1 || key > array.length + 1) return false;
    if (key <= array.length) {
      array[key - 1] = value;
      if (value === undefined) this.#trim();
    } else if (value !== undefined) {
      this.#map?.delete(key);
      array.push(value);
      this.#gather();
    } else return false;
    return true;
  }

  #trim(): void {
    while (this.array.length > 0 && this.array[this.array.length - 1] === undefined)
      this.array.pop();
  }

  /** Moves the following indices from the map to the array. */
  #gather(): void {
    if (this.#map === undefined) return;
    for (;;) {
      const index = this.array.length + 1;
      const value = this.#map.get(index);
      if (value === undefined) return;
      this.#map.delete(index);
      this.array.push(value);
    }
  }
}

/** A table of the library, which no script may change. */
export class ReadOnlyTable extends LuaTable {
  override readonly readOnly: boolean = false;

  constructor(fields: Readonly<Record<string, LuaValue>>) {
    super();
    for (const [name, value] of Object.entries(fields)) this.set(name, value);
    this.readOnly = true;
  }
}
