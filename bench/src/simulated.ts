// What the simulator does alone, without the peers: `node bench/dist/simulated.js`.
import { measureSimulator, simulatorText } from './sim/figures.ts';
import { tell } from './tell.ts';

const figures = await measureSimulator(tell);
tell('');
console.log(simulatorText(figures));
