import { isatty } from 'node:tty';
import { main } from './cli/main.ts';

/** The exit code that a shell shows for a program that SIGPIPE ended. */
const BROKEN_PIPE = 141;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as `head` does.
  if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
  process.stderr.write(`holdfast: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
// Nobody can be told, but the exit status still can.
process.stderr.on('error', () => undefined);

/** Reads one line, only where a command asks: whoever opens the input keeps it from others. */
async function readLine(): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
    process.stdin.unref();
  }
}

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: { isTTY: isatty(0), line: readLine },
  env: process.env,
});
