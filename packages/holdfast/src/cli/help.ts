export const INSPECT_HELP: string = `holdfast inspect KEY [--on X]

Prints who holds KEY, for how long still, and under which fencing token: as JSON.

  --on X    a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG`;

export const FORCE_RELEASE_HELP: string = `holdfast force-release KEY [--on X]

Takes KEY away from whoever holds it. The old holder learns of it at its next renewal:
until then two may believe that they hold it.

  --on X    a URL or a configuration file; default: HOLDFAST_URL or HOLDFAST_CONFIG`;
