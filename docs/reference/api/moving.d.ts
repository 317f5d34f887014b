// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/moving ==========

interface MovedStore {
  readonly backend: Backend;
  readonly fencingEpoch?: number | undefined;
  readonly ttlMs?: number | undefined;
}

interface MovingOptions {
  readonly from: MovedStore;
  readonly to: MovedStore;
}

const NAME = "moving";

function capabilitiesOfBoth(a: Capabilities, b: Capabilities): Capabilities;

function openMoving({ from, to }: MovingOptions, host: Host): Promise<Backend>;
