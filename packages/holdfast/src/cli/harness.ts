import { moduleUrl } from '../backends/module-file.ts';
import type { Command } from './command.ts';

/** What judges locks and shows them: a package of its own, which nobody needs in order to lock. */
export const HARNESS = '@holdfast/harness';

interface HarnessModule {
  readonly COMMANDS: readonly Command[];
}

/** The commands of the harness; undefined where it is installed neither beside this package nor where the user is. */
export async function harnessCommands(): Promise<readonly Command[] | undefined> {
  for (const specifier of [HARNESS, moduleUrl(HARNESS, process.cwd())]) {
    if (specifier === undefined) continue;
    try {
      const { COMMANDS }: HarnessModule = await import(specifier);
      return COMMANDS;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

/** The package itself, that is: one that is there and lacks something says so. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' && String(error).includes(HARNESS);
}
