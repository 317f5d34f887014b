import { ConfigError } from '@holdfast/core';
import type { Backend, Host } from '@holdfast/core/backend';
import type { EditedPackage, LockView } from './lock.ts';

type Opener = (options: object, host: Host) => Promise<Backend>;

/** The package of a recipe, whose entry exports a function that opens the lock. */
export function editedPackage(
  name: string,
  opener: string,
  options: (view: LockView) => object,
  port?: object,
): EditedPackage {
  return {
    package: name,
    entry: 'index.ts',
    ...(port && { shared: { 'port.ts': port } }),
    open: (module, view, host) => openerIn(module, opener)(options(view), host),
  };
}

/** @throws ConfigError if a module exports no function of this name */
export function openerIn(module: object, name: string): Opener {
  const opener: unknown = Reflect.get(module, name);
  if (typeof opener !== 'function') throw new ConfigError(`the code exports no function ${name}`);
  // What it returns shows when it is opened.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return opener as Opener;
}
