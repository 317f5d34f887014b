// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/redis-getset ==========

interface RedisGetsetOptions extends SingleNodeOptions {
  readonly checkAge?: boolean | undefined;
}

const capabilities: Capabilities;

function openRedisGetset(options: RedisGetsetOptions, host: Host): Promise<Backend>;
