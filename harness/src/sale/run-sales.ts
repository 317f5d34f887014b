import { CHARTS, type ChartPlan, runChart } from './charts.ts';
import { type Chart, isAsExpected, type SaleReport, type StepResult } from './report.ts';
import type { SaleEnvironment, SaleSettings } from './sale.ts';
import type { SaleStep } from './step.ts';
import { STEPS } from './steps.ts';

/** Whether a late message strikes just when it can do harm is up to chance there: on a quiet machine every other time. */
const ATTEMPTS_LOCAL = 6;

/** Hears of the sales while they go on. */
export interface SaleListener {
  step(text: string): void;
  head(report: Pick<SaleReport, 'by' | 'settings'>): void;
  stepDone(held: StepResult): void;
  chart(chart: Chart): void;
}

/** Everything that can be asked for by name. */
export const SALE_IDS: readonly string[] = [...STEPS, ...CHARTS].map(({ id }) => id);

/** What is sold, in order. */
export interface SaleSelection {
  readonly steps: readonly SaleStep[];
  readonly charts: readonly ChartPlan[];
}

/** Everything there is, or what is named. */
export function saleSelectionOf(only: readonly string[] | undefined): SaleSelection {
  const isWanted = ({ id }: { readonly id: string }): boolean => only?.includes(id) ?? true;
  return { steps: STEPS.filter(isWanted), charts: CHARTS.filter(isWanted) };
}

/** Holds one sale after the other. */
export async function runSales(
  premises: SaleEnvironment,
  settings: SaleSettings,
  { steps: wanted, charts: plans }: SaleSelection,
  bystander: SaleListener,
): Promise<Pick<SaleReport, 'servers' | 'by' | 'settings' | 'steps' | 'charts'>> {
  const { servers, by } = premises;
  bystander.head({ by, settings });
  const steps: StepResult[] = [];
  for (const step of wanted) {
    bystander.step(`${servers}: ${step.id}`);
    const held = await runStep(step, settings, premises);
    bystander.stepDone(held);
    steps.push(held);
  }
  const charts: Chart[] = [];
  for (const plan of plans) {
    const chart = await runChart(plan, premises, settings, (text) =>
      bystander.step(`${servers}: ${plan.what}: ${text}`),
    );
    bystander.chart(chart);
    charts.push(chart);
  }
  return { servers, by, settings, steps, charts };
}

async function runStep(
  step: SaleStep,
  settings: SaleSettings,
  premises: SaleEnvironment,
): Promise<StepResult> {
  const { id, part, what, during, shows, why, lock } = step;
  const told = {
    id,
    part,
    what,
    shows,
    why,
    ...(during === undefined ? {} : { during }),
    ...(lock === undefined ? {} : { lock }),
  };
  const missing = premises.missing(step);
  if (missing !== undefined)
    return { ...told, figures: null, missing, asExpected: true, attempts: 0 };
  const attemptsMax = premises.servers === 'local' ? ATTEMPTS_LOCAL : 1;
  for (let attempts = 1; ; attempts++) {
    const figures = await premises.run({ step, settings });
    const asExpected = isAsExpected(step, figures);
    // What has to be without a flaw gets no second chance.
    if (asExpected || step.shows?.length === 0 || attempts === attemptsMax)
      return { ...told, figures, asExpected, attempts };
  }
}
