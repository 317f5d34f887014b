// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/redis-simple ==========

interface RedisSimpleOptions extends SingleNodeOptions {
  readonly waitReplicas?: number | undefined;
  readonly fair?: boolean | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
}

const capabilities: Capabilities;

const fairCapabilities: Capabilities;

function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend>;

const plainCapabilities: Capabilities & {
  readonly fencing: 'none';
};
