import { describeContracts } from './contract.ts';

describeContracts('servers');
