import type { CrossCheck, SimulatedStory } from '../evaluation/cross-check.ts';
import type { CellLocation } from '../evaluation/judge-lab-cell.ts';
import { type CellSelection, plannedCells } from '../evaluation/plan.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';

/** The simulator, as the laboratory uses it. */
export interface Simulator {
  /** Returns the story of a fault on a column; undefined if there is none. */
  readonly storyForCell: (place: CellLocation) => Promise<SimulatedStory | undefined>;
  /** Absent if only the laboratory was requested. */
  readonly verdicts?: Verdicts | undefined;
}

interface Verdicts {
  /** Runs before any server is started. */
  play(): Promise<void>;
  crossCheck(cells: readonly LabCell[]): CrossCheck;
}

/** Runs the simulator for these cells. Returns a function that adds its results to a report. */
export async function addSimulatorResults(
  { storyForCell, verdicts }: Simulator,
  selection: CellSelection,
): Promise<(report: LabReport) => LabReport> {
  await verdicts?.play();
  // The simulator knows no external lock.
  const backends =
    selection.external === undefined ? selection.backends : (selection.backends ?? []);
  const stories = new Map<string, SimulatedStory>();
  for (const { fault, variant, column } of plannedCells({
    ...selection,
    external: undefined,
    backends,
  })) {
    const story = await storyForCell({ fault, variant, column });
    if (story !== undefined) stories.set(`${fault} on ${column}`, story);
  }
  return (report) => ({
    ...report,
    cells: report.cells.map((cell) => {
      const story = stories.get(`${cell.fault} on ${cell.column}`);
      return story === undefined ? cell : { ...cell, story };
    }),
    ...(verdicts === undefined ? {} : { both: verdicts.crossCheck(report.cells) }),
  });
}
