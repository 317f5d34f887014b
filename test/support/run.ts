import { spawn } from 'node:child_process';

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  /** Both streams, as they came. */
  readonly output: string;
}

/** Runs a command to its end; rejects only when it cannot be started. */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<RunResult> {
  return new Promise((done, fail) => {
    const env = { ...process.env, NO_COLOR: '1', ...options.env };
    const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', fail);
    child.once('close', (code) => done({ code, stdout, output }));
  });
}

/** Runs a command that has to succeed. @throws Error with its output when it does not */
export async function runChecked(...call: Parameters<typeof run>): Promise<RunResult> {
  const ran = await run(...call);
  if (ran.code !== 0) {
    const [command, args] = call;
    throw new Error(`${command} ${args.join(' ')} exited with ${ran.code}:\n${ran.output}`);
  }
  return ran;
}
