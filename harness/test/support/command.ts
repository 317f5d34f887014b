import { main } from '../../../packages/holdfast/test/kit.ts';
import { Console } from './console.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the command in this process, which saves loading all of it anew, and in a folder. Its threads are files of `dist`,
 * as they are of the installed command.
 */
export async function holdfastIn(
  folder: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const console = new Console(env);
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await main(args, console);
    return { code, stdout: console.out, stderr: console.err };
  } finally {
    process.chdir(before);
  }
}
