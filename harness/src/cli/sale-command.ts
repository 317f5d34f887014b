import { ConfigError } from '@holdfast/core';
import { nearest } from '@holdfast/core/backend';
import {
  type Arguments,
  type CommandBody,
  holdfastVersion,
  type Io,
  type Out,
  UsageError,
} from 'holdfast/internal';
import { type Paint, paintFor } from '../compare/paint.ts';
import { openRunners } from '../find/open-runners.ts';
import { findRedisServer } from '../real/index.ts';
import { CHARTS } from '../sale/charts.ts';
import { formatChart, formatHead, formatHeadings, formatStep, LEGEND } from '../sale/format.ts';
import { LocalEnvironment } from '../sale/local-environment.ts';
import { type SaleReport, saleExitCode } from '../sale/report.ts';
import {
  runSales,
  SALE_IDS,
  type SaleListener,
  type SaleSelection,
  saleSelectionOf,
} from '../sale/run-sales.ts';
import { type SaleEnvironment, type SaleSettings, USERS } from '../sale/sale.ts';
import { simulatedEnvironment } from '../sale/simulated-environment.ts';
import { externalLockStep, STEPS } from '../sale/steps.ts';
import { type ExternalLock, loadExternalLock } from '../search/load-subject.ts';
import { saleHelp } from './help.ts';
import { allSizedFrom, externalLockFrom } from './lock-arguments.ts';
import { installCommand } from './next-steps.ts';
import { wholeNumber } from './number-options.ts';
import { Progress } from './progress.ts';

const STOCK = { option: 'stock', fallback: 300, min: 1, max: 100_000 } as const;
const REQUESTS = { option: 'requests', fallback: 1_000, min: 1, max: 100_000 } as const;
const APPS = { option: 'apps', fallback: 2, min: 1, max: 16 } as const;
const TTL_MS = 500;
const WORK_MS = 1;

export const saleCommand: CommandBody = {
  options: {
    servers: 'value',
    stock: 'value',
    requests: 'value',
    apps: 'value',
    only: 'value',
    with: 'value',
    nodes: 'value',
    json: 'flag',
  },
  help: saleHelp(idsOf(STEPS), idsOf(CHARTS)),
  run: runSale,
};

function idsOf(all: readonly { readonly id: string }[]): readonly string[] {
  return all.map(({ id }) => id);
}

async function runSale({ flags, values, operands }: Arguments, io: Io): Promise<number> {
  if (operands.length > 0) throw new UsageError(`unexpected argument "${operands[0]}"`);
  const settings = settingsFrom(values);
  const only = onlyFrom(values.get('only'));
  const progress = new Progress(io.stderr);
  const isJson = flags.has('json');
  const out = isJson ? { write: () => undefined } : io.stdout;
  const { selection, externalLocks } = await saleSelectionFrom(values, only);
  const environment = await environmentFor(
    values.get('servers') ?? 'embedded',
    selection,
    io.env,
    externalLocks,
  );
  try {
    const reporter = new SaleReporter(out, progress, paintFor(io.stdout, io.env));
    const result = await runSales(environment, settings, selection, reporter);
    progress.clear();
    const report: SaleReport = {
      format: 'holdfast-sale',
      version: 1,
      holdfast: holdfastVersion(),
      ...result,
    };
    if (isJson) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return saleExitCode(report);
  } finally {
    await environment.close();
  }
}

function settingsFrom(values: ReadonlyMap<string, string>): SaleSettings {
  const requests = wholeNumber(values, REQUESTS);
  return {
    stock: wholeNumber(values, STOCK),
    requests,
    users: Math.min(USERS, requests),
    apps: wholeNumber(values, APPS),
    ttlMs: TTL_MS,
    workMs: WORK_MS,
    products: 1,
  };
}

/** @throws UsageError for an unknown step */
function onlyFrom(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !SALE_IDS.includes(name));
  if (unknown === undefined) return names;
  const meant = nearest(unknown, SALE_IDS);
  const hint = meant === undefined ? `Use ${SALE_IDS.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UsageError(`unknown --only "${unknown}"`, hint);
}

/** The selected steps and charts, with `--nodes` and `--with` applied. */
async function saleSelectionFrom(
  values: ReadonlyMap<string, string>,
  only: readonly string[] | undefined,
): Promise<{
  readonly selection: SaleSelection;
  readonly externalLocks: Readonly<Record<string, ExternalLock>>;
}> {
  const { steps, charts } = saleSelectionOf(only);
  const requested = steps.flatMap(({ lock }) => lock ?? []);
  const sized = new Map(
    allSizedFrom(values, requested).map(({ lock, sized: name }) => [lock, name]),
  );
  const sizedSteps = steps.map((step) => {
    const lock = sized.get(step.lock ?? '');
    return lock === undefined ? step : { ...step, lock, what: `as ${lock}: ${step.what}` };
  });
  const name = externalLockFrom(values);
  if (name === undefined) return { selection: { steps: sizedSteps, charts }, externalLocks: {} };
  if ((values.get('servers') ?? 'embedded') !== 'embedded')
    throw new UsageError('--with is for the simulator', 'Leave out --servers.');
  const external = await externalLockFor(name);
  const selection = { steps: [...sizedSteps, externalLockStep(name, external.tokens)], charts };
  return { selection, externalLocks: { [name]: external } };
}

/**
 * Loads a lock from outside, after a separate thread has run it: one that never yields would block this process.
 * @throws ConfigError for a lock that a sale cannot use
 */
async function externalLockFor(name: string): Promise<ExternalLock> {
  const folder = process.cwd();
  const [runner] = await openRunners(name, folder, 1);
  await runner?.close();
  const external = await loadExternalLock(name, folder);
  if (external.nodes > 0) return external;
  throw new ConfigError(
    `"${name}" cannot be used in a sale: it needs a server, because a shop has several processes`,
    { backend: name },
  );
}

async function environmentFor(
  servers: string,
  { steps, charts }: SaleSelection,
  env: NodeJS.ProcessEnv,
  externalLocks: Parameters<typeof simulatedEnvironment>[0],
): Promise<SaleEnvironment> {
  if (servers === 'embedded') return simulatedEnvironment(externalLocks);
  if (servers === 'local') {
    if (findRedisServer(env) === undefined)
      throw new UsageError('redis-server is not installed', `Install it: ${installCommand()}`);
    const all = [...steps, ...charts.flatMap(({ series }) => Object.values(series))];
    return await LocalEnvironment.open(all, env);
  }
  throw new UsageError(`unknown --servers "${servers}"`, 'Use embedded or local.');
}

/** Prints the results while the sales run. */
class SaleReporter implements SaleListener {
  readonly #out: Out;
  readonly #progress: Progress;
  readonly #paint: Paint;
  #isHeaded = false;

  constructor(out: Out, progress: Progress, paint: Paint) {
    this.#out = out;
    this.#progress = progress;
    this.#paint = paint;
  }

  step(text: string): void {
    this.#progress.step(text);
  }

  head(report: Parameters<SaleListener['head']>[0]): void {
    this.#print(formatHead(report, this.#paint));
  }

  stepDone(result: Parameters<SaleListener['stepDone']>[0]): void {
    if (!this.#isHeaded)
      this.#print([
        ...LEGEND.map((text) => this.#paint.dim(text)),
        '',
        formatHeadings(this.#paint),
      ]);
    this.#isHeaded = true;
    this.#print(formatStep(result, this.#paint));
  }

  chart(chart: Parameters<SaleListener['chart']>[0]): void {
    this.#print(['', ...formatChart(chart, this.#paint)]);
  }

  #print(lines: readonly string[]): void {
    this.#progress.clear();
    this.#out.write(`${lines.join('\n')}\n`);
  }
}
