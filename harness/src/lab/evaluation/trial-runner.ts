import { type Clients, ExternalClient } from '../../real/index.ts';
import type { OwnServers } from '../deployments/own-servers.ts';
import { judgeTrial } from '../trials/judge-trial.ts';
import { playTrial } from '../trials/play-trial.ts';
import { choreographiesOf, faultView, isUnplayable } from './choreographies.ts';
import { EXTERNAL } from './external.ts';
import type { JudgedTrial } from './figures.ts';
import type { Inventory } from './inventory.ts';
import type { DeploymentResources } from './kinds/real-deployment.ts';
import { type PlannedCell, shiftsClients } from './plan.ts';

/** Names an external lock in its own words. */
function externalIn({ clients: [first] }: Clients): string | undefined {
  const { name, options } = (first instanceof ExternalClient ? first.ready : undefined) ?? {};
  return name === undefined || options === undefined ? name : `${name} (${options})`;
}

export interface TrialRunnerOptions {
  /** Trials in each cell. */
  readonly trials: number;
  /** Called with what is being done to which deployment. */
  readonly step: (text: string) => void;
  /** The user's servers; absent if the laboratory starts its own. */
  readonly servers: readonly OwnServers[] | undefined;
  readonly inventory: Inventory;
}

/** Runs the trials of one planned cell after the other, each on a deployment that is opened for it, and judges them. */
export class TrialRunner {
  readonly #options: TrialRunnerOptions;

  constructor(options: TrialRunnerOptions) {
    this.#options = options;
  }

  async run(
    planned: PlannedCell,
    clients: Clients,
    resources: DeploymentResources,
  ): Promise<readonly JudgedTrial[]> {
    const { trials, step } = this.#options;
    const { fault, column } = planned;
    const judged: JudgedTrial[] = [];
    for (let n = 1; n <= trials; n++) {
      step(`${fault} on ${column}, ttl ${resources.ttlMs} ms: ${n} of ${trials}`);
      judged.push(await this.#runTrial(planned, clients, resources, n));
    }
    return judged;
  }

  async #runTrial(
    planned: PlannedCell,
    clients: Clients,
    requested: DeploymentResources,
    n: number,
  ): Promise<JudgedTrial> {
    const { column, fault, deployment } = planned;
    const ttlMs = Math.max(requested.ttlMs, this.#ttlMsMin(column)) * (deployment.ttlTimes ?? 1);
    const resources = { ...requested, ttlMs };
    const view = faultView(deployment, { ttlMs, clocks: requested.shim !== undefined });
    const choreographies = choreographiesOf(fault, view);
    // The choreographies of a fault take turns.
    const choreography = isUnplayable(choreographies)
      ? undefined
      : choreographies[(n - 1) % choreographies.length];
    if (choreography === undefined) throw new Error(`${fault} cannot be played here`);
    this.#options.inventory.column = column;
    const isExternal = column === EXTERNAL;
    clients.become({ shifts: shiftsClients(planned), isExternal });
    const cluster = await deployment.open(resources);
    try {
      const key = `${column}/${fault}/${ttlMs}/${n}`;
      const record = await playTrial(
        { clients, cluster, deployment: view, choreography },
        {
          fault,
          key,
          ttlMs,
          n,
          judgedBy: isExternal ? 'resource' : 'leases',
          onInject: (description) => this.#options.step(`${fault} on ${column}: ${description}`),
        },
      );
      return { record, judged: judgeTrial(record) };
    } finally {
      if (isExternal) this.#options.inventory.external = externalIn(clients);
      await cluster.close();
    }
  }

  #ttlMsMin(column: string): number {
    const own = this.#options.servers?.find(({ backend }) => backend === column);
    return own?.ttlMsMin ?? 0;
  }
}
