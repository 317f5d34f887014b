/** Imports that bundlers leave alone: what a configuration names is beside the program, not in it. */

type Module = Readonly<Record<string, unknown>>;

/** Imports a module that is known only at run time; rejects as `import` does. */
export async function importUrl(url: string): Promise<Module> {
  return await import(/* webpackIgnore: true */ url);
}

/**
 * Imports a package that may be absent; undefined if it is. Together with `importUrl` in one file: where only one import
 * is of a variable, Terser 5 inlines what the compiler put around it, and breaks it.
 */
export async function importIfInstalled(name: string): Promise<Module | undefined> {
  try {
    return await import(/* webpackIgnore: true */ name);
  } catch {
    return undefined;
  }
}
