// Measures the simulator alone, without other libraries: `node bench/dist/simulated.js`.

import { showProgress } from './show-progress.ts';
import { measureSimulator, simulatorText } from './sim/figures.ts';

const figures = await measureSimulator(showProgress);
showProgress('');
console.log(simulatorText(figures));
