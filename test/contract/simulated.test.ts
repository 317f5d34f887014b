import { describeContracts } from './contract.ts';

describeContracts('simulator');
