import type { Chart } from './report/chart.ts';

export interface SectionOptions {
  /** Counted rounds, in which all that is compared takes turns. */
  readonly rounds: number;
  readonly tell: (text: string) => void;
  /** Only candidates whose name and client contain this; raw calls always run. */
  readonly only: string;
}

/** How one part of the report is measured and shown. */
export interface SectionParts<Figures> {
  /** Its name on the command line and in the report. */
  readonly name: string;
  measure(options: SectionOptions): Promise<Figures>;
  /** For the terminal and the page. */
  text(figures: Figures): string;
  charts?(figures: Figures): readonly Chart[];
}

/** A part that has been measured. */
export interface MeasuredSection {
  readonly name: string;
  readonly figures: unknown;
  readonly text: string;
  readonly charts: readonly Chart[];
  readonly tookS: number;
}

/** One part of the report, whatever its figures are. */
export interface Section {
  readonly name: string;
  run(options: SectionOptions): Promise<MeasuredSection>;
}

export function section<Figures>(parts: SectionParts<Figures>): Section {
  const { name } = parts;
  return {
    name,
    async run(options) {
      const fromMs = performance.now();
      const figures = await parts.measure(options);
      const tookS = (performance.now() - fromMs) / 1000;
      const charts = parts.charts?.(figures) ?? [];
      return { name, figures, text: parts.text(figures), charts, tookS };
    },
  };
}
