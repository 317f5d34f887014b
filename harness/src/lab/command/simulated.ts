import type { CrossCheck, SimulatedStory } from '../evaluation/cross-check.ts';
import type { CellLocation } from '../evaluation/judge-lab-cell.ts';
import { type CellSelection, plannedCells } from '../evaluation/plan.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';

/** What the simulator has to say, which the laboratory does not know of itself. */
export interface Simulator {
  /** The story of a fault on a column; undefined where there is none. */
  readonly storyForCell: (place: CellLocation) => Promise<SimulatedStory | undefined>;
  /** Absent where only the laboratory was asked for. */
  readonly verdicts?: Verdicts | undefined;
}

interface Verdicts {
  /** Before a server is started. */
  play(): Promise<void>;
  crossCheck(cells: readonly LabCell[]): CrossCheck;
}

/** Asks the simulator for all that it can say of these cells; what it returns puts that into a report. */
export async function addSimulatorResults(
  { storyForCell, verdicts }: Simulator,
  wanted: CellSelection,
): Promise<(report: LabReport) => LabReport> {
  await verdicts?.play();
  const stories = new Map<string, SimulatedStory>();
  for (const { fault, variant, column } of plannedCells(wanted)) {
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
