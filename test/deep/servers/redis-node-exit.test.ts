import { describeExit } from '../../servers/redis-node-exit.ts';

describeExit('iovalkey');
