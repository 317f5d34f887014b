import type { Subject } from '@holdfast/sim';
import { importBackend } from '../backends/import-backend.ts';
import { builtInSubject } from '../locks/index.ts';
import { probed } from './probe.ts';

/**
 * The lock that a name stands for: one of ours, or a package or file that exports a backend over our ports, which is
 * opened with `{ node, nodes }`. What somebody else's lock promises is found out by playing with it.
 * @param folder from where files and packages are looked up
 * @param onLoaded told before it is played with for the first time
 * @throws ConfigError where there is no such backend, or where it cannot even be opened
 */
export async function loadSubject(
  name: string,
  folder: string,
  onLoaded?: () => void,
): Promise<Subject> {
  const known = builtInSubject(name);
  if (known !== undefined) return known;
  const module = await importBackend(name, folder);
  onLoaded?.();
  return await probed({
    name,
    open: ({ node, nodes, store, link }, host) =>
      module.open({ backend: name, node, nodes, store, link }, host),
  });
}
