// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/otel ==========

interface HoldfastTelemetryOptions {
  readonly tracerProvider?: TracerProvider | undefined;
  readonly meterProvider?: MeterProvider | undefined;
  readonly keyOf?: ((key: string) => string | undefined) | undefined;
}

function instrumentHoldfast(options?: HoldfastTelemetryOptions): () => void;

// ========== @holdfast/otel/files ==========

const ALERT_RULES: string;

function grafanaDashboard(): object;
