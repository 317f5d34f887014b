import { main } from './cli/main.ts';

/** What a shell shows of a program that SIGPIPE ended. */
const BROKEN_PIPE = 141;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read has seen enough, as `head` does.
  if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
  throw error;
});

process.exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
});
