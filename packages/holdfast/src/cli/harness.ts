import { moduleUrl } from '../backends/module-file.ts';
import type { Command } from './command.ts';

/** The package that judges locks and shows them. Locking does not need it. */
export const HARNESS = '@holdfast/harness';

interface HarnessModule {
  readonly COMMANDS: readonly Command[];
}

/** The commands of the harness; undefined if it is installed neither beside this package nor in the user's folder. */
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

/** True if the harness itself is missing; false if it is installed and one of its dependencies is missing. */
function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' && String(error).includes(HARNESS);
}
