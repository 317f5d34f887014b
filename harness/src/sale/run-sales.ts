import { CHARTS, type ChartPlan, runChart } from './charts.ts';
import { type Chart, isAsExpected, type SaleReport, type StepResult } from './report.ts';
import type { SaleEnvironment, SaleSettings } from './sale.ts';
import type { SaleStep } from './step.ts';
import { STEPS } from './steps.ts';

/** On real servers a late message does harm only by chance: on a quiet machine every other time. */
const ATTEMPTS_LOCAL = 6;

/** Gets the results while the sales run. */
export interface SaleListener {
  step(text: string): void;
  head(report: Pick<SaleReport, 'by' | 'settings'>): void;
  stepDone(held: StepResult): void;
  chart(chart: Chart): void;
}

/** The ids of all steps and charts. */
export const SALE_IDS: readonly string[] = [...STEPS, ...CHARTS].map(({ id }) => id);

/** The steps and charts to run, in order. */
export interface SaleSelection {
  readonly steps: readonly SaleStep[];
  readonly charts: readonly ChartPlan[];
}

/** Selects all steps and charts, or those that are named. */
export function saleSelectionOf(only: readonly string[] | undefined): SaleSelection {
  const isWanted = ({ id }: { readonly id: string }): boolean => only?.includes(id) ?? true;
  return { steps: STEPS.filter(isWanted), charts: CHARTS.filter(isWanted) };
}

/** Runs one sale after the other. */
export async function runSales(
  environment: SaleEnvironment,
  settings: SaleSettings,
  { steps: selected, charts: plans }: SaleSelection,
  listener: SaleListener,
): Promise<Pick<SaleReport, 'servers' | 'by' | 'settings' | 'steps' | 'charts'>> {
  const { servers, by } = environment;
  listener.head({ by, settings });
  const steps: StepResult[] = [];
  for (const step of selected) {
    listener.step(`${servers}: ${step.id}`);
    const held = await runStep(step, settings, environment);
    listener.stepDone(held);
    steps.push(held);
  }
  const charts: Chart[] = [];
  for (const plan of plans) {
    const chart = await runChart(plan, environment, settings, (text) =>
      listener.step(`${servers}: ${plan.what}: ${text}`),
    );
    listener.chart(chart);
    charts.push(chart);
  }
  return { servers, by, settings, steps, charts };
}

async function runStep(
  step: SaleStep,
  settings: SaleSettings,
  environment: SaleEnvironment,
): Promise<StepResult> {
  const { id, part, what, during, shows, why, lock } = step;
  const description = {
    id,
    part,
    what,
    shows,
    why,
    ...(during === undefined ? {} : { during }),
    ...(lock === undefined ? {} : { lock }),
  };
  const missing = environment.missing(step);
  if (missing !== undefined)
    return { ...description, figures: null, missing, asExpected: true, attempts: 0 };
  const attemptsMax = environment.servers === 'local' ? ATTEMPTS_LOCAL : 1;
  for (let attempts = 1; ; attempts++) {
    const figures = await environment.run({ step, settings });
    const asExpected = isAsExpected(step, figures);
    // A step that must have no flaw gets one attempt.
    if (asExpected || step.shows?.length === 0 || attempts === attemptsMax)
      return { ...description, figures, asExpected, attempts };
  }
}
