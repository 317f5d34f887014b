import { FaultRegistry } from '../sim/schedule/fault.ts';
import { clientClock } from './client-clock/index.ts';
import { clientCut } from './client-cut/index.ts';
import { clockSmear } from './clock-smear/index.ts';
import { delay } from './delay/index.ts';
import { drift } from './drift/index.ts';
import { failover } from './failover/index.ts';
import { holderCrash } from './holder-crash/index.ts';
import { loopBlock } from './loop-block/index.ts';
import { lostReply } from './lost-reply/index.ts';
import { lostWakeUp } from './lost-wakeup/index.ts';
import { majorityDown } from './majority-down/index.ts';
import { pause } from './pause/index.ts';
import { pauseAcquire } from './pause-acquire/index.ts';
import { peerCut } from './peer-cut/index.ts';
import { reorder } from './reorder/index.ts';
import { restartDurable } from './restart-durable/index.ts';
import { restartEmpty } from './restart-empty/index.ts';
import { serverClockBack } from './server-clock-back/index.ts';
import { serverClockForward } from './server-clock-forward/index.ts';
import { serverSlow } from './server-slow/index.ts';
import { serverStop } from './server-stop/index.ts';
import { splitBrain } from './split-brain/index.ts';
import { suspend } from './suspend/index.ts';
import { swizzle } from './swizzle/index.ts';
import { tornLog } from './torn-log/index.ts';

/** All faults, in the order in which they are shown everywhere. To add one, add its folder and its line here. */
export const FAULTS: FaultRegistry = new FaultRegistry([
  delay,
  reorder,
  lostReply,
  pause,
  pauseAcquire,
  loopBlock,
  clientClock,
  drift,
  clockSmear,
  serverClockForward,
  serverClockBack,
  serverStop,
  serverSlow,
  restartEmpty,
  restartDurable,
  tornLog,
  failover,
  splitBrain,
  clientCut,
  peerCut,
  majorityDown,
  holderCrash,
  lostWakeUp,
  swizzle,
  suspend,
]);
