import { type Section, section } from '../section.ts';
import { measureSimulator, type SimulatorFigures, simulatorText } from './figures.ts';

/** Schedules a second, minimising, threads and memory of the simulator. */
export const simulator: Section = section<SimulatorFigures>({
  name: 'simulator',
  measure: ({ tell }) => measureSimulator(tell),
  text: simulatorText,
});
