// `npm test`: every check and test, ordered by what they cost, one line for each, and a plain closing line.
// Arguments: names of stages to run only those; --deep to add the long ones.
import { readFileSync, rmSync } from 'node:fs';
import { styleText } from 'node:util';
import { ensureServers, explainMissing } from './ensure-servers.mjs';
import { countsSoFar, runStage } from './run-stage.mjs';
import { chosenStages, lanesOf, PHASES } from './stages.mjs';

const SLOWEST = 10;
const live = process.stdout.isTTY;
const inCi = !['', '0', 'false', undefined].includes(process.env.CI);

function paint(style, text) {
  return live && process.env.NO_COLOR === undefined ? styleText(style, text) : text;
}

function counted({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function line(mark, stage, text) {
  return `${mark} ${stage.name.padEnd(11)} ${text}`;
}

/** The line of a finished stage. */
function summary(stage, result) {
  if (stage.commands === undefined) return counted(result);
  const names = stage.commands.map(([command]) => command).join(', ');
  return result.failed === 0
    ? names
    : `${result.failures.map(({ title }) => title).join(', ')} failed`;
}

/** Stages that run now, with the time each began. A terminal shows them in one live line. */
const running = new Map();

function drawRunning() {
  const texts = [...running].map(([stage, since]) => {
    const counts = stage.commands === undefined ? countsSoFar(stage) : undefined;
    return [stage.name, counts && counted(counts), seconds(since)].filter(Boolean).join(' ');
  });
  process.stdout.write(`\r\x1b[2K… ${texts.join(' · ')}`.slice(0, process.stdout.columns));
}

function clearRunning() {
  if (live) process.stdout.write('\r\x1b[2K');
}

function contentOf(report) {
  try {
    return readFileSync(report, 'utf8').trimEnd();
  } catch {
    return `${report} was not written`;
  }
}

async function runAndTell(stage) {
  for (const report of stage.reports ?? []) rmSync(report, { force: true });
  const since = performance.now();
  running.set(stage, since);
  const result = await runStage(stage);
  running.delete(stage);
  clearRunning();
  tell(stage, result, since);
  return result;
}

function tell(stage, result, since) {
  const mark = result.failed === 0 ? paint('green', '✓') : paint('red', '✗');
  console.log(line(mark, stage, `${summary(stage, result)}  ${paint('dim', seconds(since))}`));
  for (const report of stage.reports ?? []) console.log(contentOf(report));
  for (const { title, output } of result.failures) {
    console.log(`\n${paint('red', `── ${title}`)}\n${output.trimEnd()}\n`);
  }
}

/** A stage that needs something which is not there: a gap to be reported, and in CI a failure unless it is optional. */
function tellNotRun(stage, server) {
  const { reason, install } = explainMissing(server);
  console.log(line(paint('yellow', '–'), stage, `not run: ${reason}`));
  const isFailure = inCi && server.isOptional !== true;
  const gap = { stage, reason, install, isFailure };
  return { passed: 0, failed: isFailure ? 1 : 0, skipped: 0, files: [], gap };
}

/**
 * Runs the stages of one lane in order. `missing` resolves to the servers that are not installed, `built` once the build has
 * ended: a stage that only reads sources does not wait for it.
 */
async function runLane(stages, missing, built) {
  const results = [];
  for (const stage of stages) {
    if (stage.readsSources !== true) await built;
    const server = stage.needsBuild
      ? (await missing).find(({ stages: names }) => names.includes(stage.name))
      : undefined;
    results.push(server === undefined ? await runAndTell(stage) : tellNotRun(stage, server));
  }
  return results;
}

/** Runs the build, if it is among the chosen stages. Tests that load what was built need not ask again: see test/support/build.ts. */
async function runBuild(chosen) {
  const results = [];
  for (const stage of chosen.filter(({ phase }) => phase === 'build')) {
    results.push(await runAndTell(stage));
    process.env.HOLDFAST_BUILT = '1';
  }
  return results;
}

async function main() {
  const chosen = chosenStages(process.argv.slice(2));
  // Installing takes seconds and disturbs nothing, so it runs beside the first stages.
  const missing = ensureServers(chosen.map((stage) => stage.name));
  const timer = live ? setInterval(drawRunning, 250) : undefined;
  const build = runBuild(chosen);
  const results = [];
  for (const phase of PHASES) {
    const lanes = lanesOf(chosen, phase).map((stages) => runLane(stages, missing, build));
    results.push(...(await Promise.all(lanes)).flat());
  }
  results.unshift(...(await build));
  clearInterval(timer);
  clearRunning();
  return results;
}

/** The test files that took longest, of all stages; each by the clock, with whatever ran beside it. */
function tellSlowest(files) {
  if (files.length === 0) return;
  console.log('\nSlowest test files:');
  for (const [path, ms] of files.toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST))
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
}

function tellEnd(results) {
  const gaps = results.flatMap(({ gap }) => gap ?? []);
  if (gaps.length > 0) console.log('');
  for (const { stage, reason, install, isFailure } of gaps) {
    const weight = isFailure ? ' CI is set, so this is a failure.' : '';
    console.log(`Not run: ${stage.name}, because ${reason}.${weight} To install it: ${install}`);
  }
  tellSlowest(results.flatMap(({ files }) => files));
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  console.log(`\n${counted(total)}`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

try {
  tellEnd(await main());
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
