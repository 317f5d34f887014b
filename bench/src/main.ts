import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { redisServerVersion } from '@holdfast/harness/real';
import { type Machine, machineText, pageOf } from './report/page.ts';
import type { MeasuredSection, Section } from './section.ts';
import { SECTIONS, USUAL } from './sections.ts';
import { showProgress } from './show-progress.ts';

const { values } = parseArgs({
  options: {
    /** Number of counted rounds where candidates take turns. */
    rounds: { type: 'string', default: '9' },
    /** Only candidates whose name and client contain this, e.g. `holdfast ioredis`; raw calls always run. */
    only: { type: 'string', default: '' },
    /** Only these sections, separated by commas; by default those that are usual. */
    sections: { type: 'string', default: '' },
    /** Prints the report as JSON, and nothing else. */
    json: { type: 'boolean', default: false },
  },
});

const OUT = 'out/bench';

class UsageError extends Error {}

function chosen(): readonly Section[] {
  const names = values.sections.split(',').filter(Boolean);
  const known = SECTIONS.map(({ name }) => name);
  for (const name of names)
    if (!known.includes(name))
      throw new UsageError(`There is no section ${name}; use ${known.join(', ')}.`);
  return names.length === 0 ? USUAL : SECTIONS.filter(({ name }) => names.includes(name));
}

function roundsOf(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  throw new UsageError(`--rounds takes a whole number from 1 on, not ${text}.`);
}

function machine(): Machine {
  const [{ model } = { model: undefined }, ...others] = cpus();
  return {
    node: process.version,
    cpu: model,
    cores: others.length + 1,
    redis: redisServerVersion(),
  };
}

async function main(): Promise<void> {
  const rounds = roundsOf(values.rounds);
  const at = new Date().toISOString();
  const sections: MeasuredSection[] = [];
  for (const section of chosen()) {
    const done = await section.run({ rounds, only: values.only, tell: showProgress });
    sections.push(done);
    showProgress('');
    if (!values.json) console.log(`${done.text}\n`);
  }
  const of = (key: 'figures' | 'tookS'): object =>
    Object.fromEntries(sections.map((each) => [each.name, each[key]]));
  const report = {
    version: 2,
    at,
    machine: machine(),
    rounds,
    tookS: of('tookS'),
    figures: of('figures'),
  };
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  mkdirSync(OUT, { recursive: true });
  writeFileSync(`${OUT}/report.json`, text);
  writeFileSync(`${OUT}/report.html`, pageOf(sections, machine(), at));
  process.stdout.write(values.json ? text : closing());
}

function closing(): string {
  return `On ${machineText(machine())}.
${OUT}/report.html has the charts, ${OUT}/report.json the figures. For a profile:
  node --cpu-prof --cpu-prof-dir=${OUT} bench/dist/main.js --sections in-flight --only holdfast
`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
