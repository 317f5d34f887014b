// What the simulator does alone, without the peers: `node bench/dist/simulated.js`.
import { measureSimulator, simulatorText } from './sim/figures.ts';
import { showProgress } from './tell.ts';

const figures = await measureSimulator(showProgress);
showProgress('');
console.log(simulatorText(figures));
