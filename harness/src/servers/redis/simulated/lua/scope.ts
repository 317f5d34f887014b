/** A local variable of the script, and its name in the compiled code. */
export interface Local {
  readonly name: string;
  readonly code: string;
  readonly owner: FunctionScope;
}

/** One Lua function: its blocks of local variables, innermost last, and the counter that makes their names unique. */
export class FunctionScope {
  readonly parent: FunctionScope | undefined;
  readonly isVariadic: boolean;
  readonly #blocks: Map<string, Local>[] = [new Map()];
  readonly #names: { count: number };
  /** Temporary variables that the function needs. */
  readonly temporaries: string[] = [];

  constructor(parent: FunctionScope | undefined, isVariadic: boolean) {
    this.parent = parent;
    this.isVariadic = isVariadic;
    this.#names = parent === undefined ? { count: 0 } : parent.#names;
  }

  declare(name: string): string {
    const code = `${name}$${this.#names.count++}`;
    this.#blocks[this.#blocks.length - 1]?.set(name, { name, code, owner: this });
    return code;
  }

  /** Returns an unused name. */
  fresh(): string {
    return `$${this.#names.count++}`;
  }

  temporary(): string {
    const code = this.fresh();
    this.temporaries.push(code);
    return code;
  }

  find(name: string): Local | undefined {
    for (let at = this.#blocks.length - 1; at >= 0; at--) {
      const found = this.#blocks[at]?.get(name);
      if (found !== undefined) return found;
    }
    return this.parent?.find(name);
  }

  block<T>(emit: () => T): T {
    this.#blocks.push(new Map());
    try {
      return emit();
    } finally {
      this.#blocks.pop();
    }
  }
}
