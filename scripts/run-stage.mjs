// Runs one stage as child processes, keeps their output for the case of failure, and counts.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');

function run([command, ...args], extraEnv = {}) {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const env = { ...process.env, ...colour, ...extraEnv, PATH: `${bin}:${process.env.PATH}` };
  return new Promise((done) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.once('error', (error) => done({ code: -1, output: `${output}${error.message}\n` }));
    child.once('close', (code) => done({ code: code ?? -1, output }));
  });
}

/** Returns the command at the priority of its stage, on systems that have one. */
function atPriorityOf({ nice }, command) {
  const hasNice = nice !== undefined && process.platform !== 'win32';
  return hasNice ? ['nice', '-n', `${nice}`, ...command] : command;
}

/** The commands of a stage; each that exits with anything but 0 is one failure, and none counts as a passed test. */
async function runCommands(stage) {
  const failures = [];
  for (const command of stage.commands) {
    const { code, output } = await run(atPriorityOf(stage, command), stage.env);
    if (code !== 0) failures.push({ title: command.join(' '), output });
  }
  return { passed: 0, failed: failures.length, skipped: 0, files: [], failures };
}

function countsFile(stage) {
  return join(root, 'reports', `counts-${stage.name}.json`);
}

/** Returns the counts of the reporter so far, or undefined before its first module ended. */
export function countsSoFar(stage) {
  try {
    return JSON.parse(readFileSync(countsFile(stage), 'utf8'));
  } catch {
    return undefined;
  }
}

async function runTests(stage) {
  mkdirSync(join(root, 'reports'), { recursive: true });
  rmSync(countsFile(stage), { force: true });
  const projects = stage.projects.flatMap((project) => ['--project', project]);
  const command = ['vitest', 'run', ...projects, ...(stage.files ?? [])];
  const { code, output } = await run(atPriorityOf(stage, command), {
    ...stage.env,
    HOLDFAST_COUNTS: countsFile(stage),
  });
  const counts = countsSoFar(stage) ?? { passed: 0, failed: 0, skipped: 0, files: [] };
  // A run that fails without a failed test (nothing found, a crash) must not look like a pass.
  const failed = code === 0 ? counts.failed : Math.max(1, counts.failed);
  const failures = failed > 0 ? [{ title: command.join(' '), output }] : [];
  return { ...counts, failed, failures };
}

/** Resolves to `{ passed, failed, skipped, files, failures }`; never rejects for what a child did. */
export function runStage(stage) {
  return stage.commands === undefined ? runTests(stage) : runCommands(stage);
}
