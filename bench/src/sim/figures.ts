import { type Cores, coresText, measureCores } from './cores.ts';
import { type Memory, measureMemory, memoryText } from './memory.ts';
import { type Minimising, measureMinimising, minimisingText } from './minimising.ts';
import { measureOneTrace, type OneTrace, oneTraceText } from './one-trace.ts';
import { measureRates, ratesText, type ScheduleRate } from './rates.ts';

/** Measurements of the simulator. */
export interface SimulatorFigures {
  readonly rates: readonly ScheduleRate[];
  readonly minimising: readonly Minimising[];
  readonly oneTrace: OneTrace;
  readonly cores: Cores;
  readonly memory: Memory;
}

/** Takes two minutes; calls `tell` with the progress. */
export async function measureSimulator(tell: (text: string) => void): Promise<SimulatorFigures> {
  return {
    rates: await measureRates(tell),
    minimising: await measureMinimising(tell),
    oneTrace: await measureOneTrace(tell),
    cores: await measureCores(tell),
    memory: await measureMemory(tell),
  };
}

export function simulatorText(figures: SimulatorFigures): string {
  const { rates, minimising, oneTrace, cores, memory } = figures;
  return [
    ratesText(rates),
    minimisingText(minimising),
    oneTraceText(oneTrace),
    coresText(cores),
    memoryText(memory),
  ].join('\n\n');
}
