import { closing } from './checks/closing.ts';
import { doubt } from './checks/doubt.ts';
import { exclusion } from './checks/exclusion.ts';
import { fencing } from './checks/fencing.ts';
import { handOver } from './checks/hand-over.ts';
import { keys } from './checks/keys.ts';
import { operator } from './checks/operator.ts';
import { options } from './checks/options.ts';
import { queue } from './checks/queue.ts';
import { readers } from './checks/readers.ts';
import { release } from './checks/release.ts';
import { renewal } from './checks/renewal.ts';
import { semaphores } from './checks/semaphores.ts';
import { sessions } from './checks/sessions.ts';
import { severalKeys } from './checks/several-keys.ts';
import { silence } from './checks/silence.ts';
import { takeover } from './checks/takeover.ts';
import { undo } from './checks/undo.ts';
import { validity } from './checks/validity.ts';
import { waiting } from './checks/waiting.ts';
import type { Check } from './subject.ts';

/** The contract of the `Backend` port: every rule that a backend can break by itself. */
export const CHECKS: readonly Check[] = [
  ...exclusion,
  ...keys,
  ...release,
  ...validity,
  ...renewal,
  ...takeover,
  ...sessions,
  ...fencing,
  ...waiting,
  ...queue,
  ...silence,
  ...doubt,
  ...undo,
  ...handOver,
  ...operator,
  ...options,
  ...severalKeys,
  ...readers,
  ...semaphores,
  ...closing,
];
