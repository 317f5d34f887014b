// `npm test`: every check and test, ordered by what they cost, one line for each, and a plain closing line.
// Arguments: names of stages to run only those; --deep to add the long ones.
import { readFileSync, rmSync } from 'node:fs';
import { styleText } from 'node:util';
import { ensureServers, explainMissing } from './ensure-servers.mjs';
import { countsSoFar, runStage } from './run-stage.mjs';
import { chosenStages, groupsOf } from './stages.mjs';

const live = process.stdout.isTTY === true;
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

/** What stands on the line of a finished stage. */
function summary(stage, result) {
  if (stage.commands === undefined) return counted(result);
  const names = stage.commands.map(([command]) => command).join(', ');
  return result.failed === 0
    ? names
    : `${result.failures.map(({ title }) => title).join(', ')} failed`;
}

/** Keeps one line up to date on what is running; returns what ends that. Only a terminal has live lines. */
function showProgress(stages, since) {
  if (!live) return () => {};
  const draw = () => process.stdout.write(`\r\x1b[2K${progressOf(stages)}  ${seconds(since)}`);
  draw();
  const timer = setInterval(draw, 250);
  return () => {
    clearInterval(timer);
    process.stdout.write('\r\x1b[2K');
  };
}

function progressOf(stages) {
  const each = stages.map((stage) => {
    const counts = stage.commands === undefined ? countsSoFar(stage) : undefined;
    return counts === undefined ? stage.name : `${stage.name} ${counted(counts)}`;
  });
  return `… ${each.join('; ')}`;
}

function reportOf(stage) {
  try {
    return readFileSync(stage.report, 'utf8').trimEnd();
  } catch {
    return `${stage.report} was not written`;
  }
}

async function runAndTime(stage) {
  if (stage.report !== undefined) rmSync(stage.report, { force: true });
  const since = performance.now();
  const result = await runStage(stage);
  return { stage, result, took: seconds(since) };
}

function tell({ stage, result, took }) {
  const mark = result.failed === 0 ? paint('green', '✓') : paint('red', '✗');
  console.log(line(mark, stage, `${summary(stage, result)}  ${paint('dim', took)}`));
  if (stage.report !== undefined) console.log(reportOf(stage));
  for (const { title, output } of result.failures) {
    console.log(`\n${paint('red', `── ${title}`)}\n${output.trimEnd()}\n`);
  }
  return result;
}

/** Stages that run at the same time; each is told when all have ended, in their order. */
async function runAndTell(stages) {
  const stop = showProgress(stages, performance.now());
  const ended = await Promise.all(stages.map(runAndTime));
  stop();
  return ended.map(tell);
}

/** A stage that needs something which is not there: a gap to be reported, and in CI a failure unless it is optional. */
function tellNotRun(stage, server) {
  const { reason, install } = explainMissing(server);
  console.log(line(paint('yellow', '–'), stage, `not run: ${reason}`));
  const isFailure = inCi && server.isOptional !== true;
  const gap = { stage, reason, install, isFailure };
  return { passed: 0, failed: isFailure ? 1 : 0, skipped: 0, gap };
}

async function main() {
  const chosen = chosenStages(process.argv.slice(2));
  // Installing takes seconds and disturbs nothing, so it goes on beside the first stages.
  const serversSought = ensureServers(chosen.map((stage) => stage.name));
  const results = [];
  for (const stages of groupsOf(chosen)) {
    const missing = stages.some(({ needsBuild }) => needsBuild) ? await serversSought : [];
    const lacks = (stage) => missing.find(({ stages: of }) => of.includes(stage.name));
    const runnable = stages.filter((stage) => lacks(stage) === undefined);
    if (runnable.length > 0) results.push(...(await runAndTell(runnable)));
    for (const stage of stages) {
      const server = lacks(stage);
      if (server !== undefined) results.push(tellNotRun(stage, server));
    }
  }
  return results;
}

function tellEnd(results) {
  const gaps = results.flatMap(({ gap }) => gap ?? []);
  if (gaps.length > 0) console.log('');
  for (const { stage, reason, install, isFailure } of gaps) {
    const weight = isFailure ? ' CI is set, so this is a failure.' : '';
    console.log(`Not run: ${stage.name}, because ${reason}.${weight} To install it: ${install}`);
  }
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
