// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/harness ==========

const COMMANDS: readonly Command[];

// ========== @holdfast/harness/check ==========

interface AttemptRecord {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: 'granted' | 'busy' | 'unknown' | 'unavailable' | 'refused' | 'threw';
  readonly isWhole: boolean;
}

interface HoldRecord {
  readonly hold: string;
  readonly quorum: number;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

interface HoldStatus {
  readonly atMs: number;
  readonly untilMs: number;
  readonly isOwn: boolean;
  readonly isMade: boolean;
}

class Judge {
  constructor(history: readonly HistoryEvent[]);
  validity(): Verdict;
  belief(): Verdict;
  answers(records: readonly HoldRecord[], refused?: readonly RefusalRecord[]): Verdict;
  resource({ fenced }: {
    readonly fenced: boolean;
  }): Verdict;
}

interface KeyChange {
  readonly atMs: number;
  readonly client: string;
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  readonly of: string;
}

interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  readonly how: 'expired' | 'deleted';
}

interface LeaseMargin {
  readonly hold: string;
  readonly client: string;
  readonly key: string;
  readonly knewMs: number;
  readonly freeMs: number;
  readonly marginMs: number;
  readonly how: KeyFreed['how'];
}

interface QueueTicket {
  readonly hold: string;
  readonly zxid: number;
}

interface RefusalRecord {
  readonly hold: string;
  readonly attempts: readonly AttemptRecord[];
  readonly withdrawn?: WithdrawalRecord;
  readonly leftMs?: number;
  readonly isAnswered?: boolean;
  readonly isQueue: boolean;
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

function belief(history: readonly HistoryEvent[]): Verdict;

function explain({ property, kind, message, proof }: Verdict): string;

function fifo(history: readonly HistoryEvent[], tickets: readonly QueueTicket[]): Verdict;

function judge(history: readonly HistoryEvent[]): readonly Verdict[];

function judgeAnswers(history: readonly HistoryEvent[], records: readonly HoldRecord[]): Verdict;

function judgeEarlyGrant(history: readonly HistoryEvent[], freed: readonly KeyFreed[]): Verdict;

function judgeRefusals(history: readonly HistoryEvent[], records: readonly RefusalRecord[]): Verdict;

function judgeResourceOrder(history: readonly HistoryEvent[], heldBack?: readonly string[]): {
  readonly validity: Verdict;
  readonly belief: Verdict;
};

function lateLoss(history: readonly HistoryEvent[]): Verdict;

function leaseMarginsOf(history: readonly HistoryEvent[], freed: readonly KeyFreed[]): readonly LeaseMargin[];

function median(values: readonly number[]): number | null;

function mutualExclusion(history: readonly HistoryEvent[]): Verdict;

function overlapMs(history: readonly HistoryEvent[], property: 'validity' | 'belief'): number;

function ownership(history: readonly HistoryEvent[], changes: readonly KeyChange[]): Verdict;

function percentile(values: readonly number[], share: number): number | null;

function resource(history: readonly HistoryEvent[], { fenced }: {
  readonly fenced: boolean;
}): Verdict;

// ----- without a name of its own in @holdfast/harness/check -----

interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: 'clean' | 'unknown';
}

// ========== @holdfast/harness/draw ==========

interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'node' | 'resource';
  readonly clock: readonly ClockPoint[];
}

interface ClockPoint {
  readonly atMs: number;
  readonly wallMs: number;
  readonly rate?: number;
}

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'magenta' | 'blue' | 'cyan';

interface Column {
  readonly id: string;
  readonly backend: string;
  readonly client?: string;
  readonly meaning: string;
}

const FAULT_GLYPH: string;

interface Headline {
  readonly outcome: OutcomeId;
  readonly text: string;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly sentMs: number;
  readonly arrivedMs: number | null;
  readonly detail?: string | undefined;
}

interface MessageOnWay {
  readonly y: number;
  readonly label: string;
  readonly isLost: boolean;
}

const OUTCOMES: Readonly<Record<OutcomeId, Outcome>>;

interface Outcome {
  readonly glyph: string;
  readonly colour: Colour;
  readonly meaning: string;
}

type OutcomeId = 'holds' | 'late' | 'breaks' | 'inert' | 'n/a' | 'nothing';

const RING: {
  readonly before: string;
  readonly after: string;
  readonly colour: Colour;
};

interface Scene {
  readonly title: string;
  readonly property: PropertyId | 'liveness';
  readonly verdicts: readonly Verdict[];
  readonly complaints?: readonly string[];
  readonly history: readonly HistoryEvent[];
  readonly actors: readonly Actor[];
  readonly messages: readonly Message[];
  readonly faults: readonly SceneFault[];
  readonly serverState: readonly StoredHolder[];
  readonly unproved?: string | undefined;
  readonly remark?: {
    readonly outcome: OutcomeId;
    readonly text: string;
  } | undefined;
}

interface SceneFault {
  readonly kind: FaultId;
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs?: number | undefined;
  readonly text: string;
  readonly reason?: string | undefined;
}

interface Sign extends Style {
  readonly isHollow: boolean;
}

interface Stage {
  readonly scene: Scene;
  readonly markup: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly lanes: readonly StageLane[];
  readonly steps: readonly Step[];
  readonly startMs: number;
  readonly endMs: number;
  x(atMs: number): number;
  msAt(x: number): number;
  messagesAt(atMs: number): readonly MessageOnWay[];
  clockAt(lane: StageLane, atMs: number): string;
  tokenAt(lane: StageLane, atMs: number): string;
}

type StageLane = Lane;

interface Step {
  readonly atMs: number;
  readonly sentence: string;
  readonly kind: TimelineEntry['kind'];
}

interface StoredHolder {
  readonly node: string;
  readonly key: string;
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  readonly by?: string | undefined;
}

interface Style {
  readonly glyph: string;
  readonly colour: Exclude<Colour, 'red'>;
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'star';
}

interface SvgOptions {
  readonly id?: string;
}

interface TextOptions {
  readonly ink?: TextStyle;
  readonly width?: number;
  readonly lines?: number;
}

interface TextStyle {
  colour(name: Colour, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

interface Track {
  readonly length: number;
  msAt(position: number): number;
  positionOf(atMs: number): number;
}

function captionOf(scene: Scene): string;

function drawMultiples(title: string, scenes: readonly Scene[], { id }?: SvgOptions): string;

function drawSvg(scene: Scene, { id }?: SvgOptions): string;

function drawText(scene: Scene, { ink, width, lines }?: TextOptions): string;

function headlineOf(scene: Scene): Headline;

function isPicture(markup: string): boolean;

function mark(outcome: OutcomeId, unexpected: boolean): string;

function meaningOf(scene: Scene): string;

const plainStyle: TextStyle;

function signOfStyle(style?: Style): Sign;

function stageOf(scene: Scene, { id, width }: StageOptions): Stage;

function styleRules(): {
  readonly light: string;
  readonly dark: string;
};

function trackOf(steps: readonly Pick<Step, 'atMs'>[]): Track;

function withoutUnused(svg: string): string;

// ----- without a name of its own in @holdfast/harness/draw -----

interface Lane {
  readonly actor: Actor;
  readonly y: number;
  readonly height: number;
}

interface Moment {
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
  readonly kind: 'event' | 'fault' | 'message' | 'state';
  readonly weight: number;
}

interface StageOptions {
  readonly id: string;
  readonly width: number;
}

interface TimelineEntry extends Moment {
  readonly actors: readonly string[];
}

// ========== @holdfast/harness/exercise ==========

const COMPARE_AND_DELETE: Script;

interface Recipe {
  readonly name: string;
  readonly flaw: string;
  readonly expires: boolean;
  value(id: string): string;
  readonly validity?: 'until-released' | 'from-request' | 'from-reply';
  readonly modes?: Capabilities['modes'];
  take(call: RecipeCall): Promise<boolean | bigint>;
  give(call: RecipeCall): Promise<boolean>;
}

interface RecipeCall {
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: string;
  readonly mode: HoldMode | undefined;
  readonly send: (...command: readonly string[]) => Promise<Reply>;
  readonly sendAll: (...command: readonly string[]) => Promise<readonly (Reply | undefined)[]>;
  readonly wallMs: () => number;
  readonly run: (script: Script, keys: readonly string[], args: readonly string[]) => Promise<Reply>;
}

interface RecipeOptions {
  readonly nodes: readonly RedisNode[];
}

function recipe(own: Omit<Recipe, 'name' | 'flaw'>): OpenBackend<RecipeOptions>;

// ========== @holdfast/harness/exhibits ==========

// COMPARE_AND_DELETE, as in @holdfast/harness/exercise

const DEBATED: readonly Recipe[];

const EXHIBITS: readonly Recipe[];

const EXHIBIT_CAPABILITIES: Capabilities;

interface ExhibitOptions {
  readonly name: string;
  readonly source?: RedisSource | undefined;
  readonly node?: RedisNode | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly namespace?: string | undefined;
  readonly pollMs?: number | undefined;
}

// Recipe, as in @holdfast/harness/exercise

// RecipeCall, as in @holdfast/harness/exercise

// RecipeOptions, as in @holdfast/harness/exercise

function named(recipeOfLock: Recipe): OpenBackend<RecipeOptions>;

function openExhibit(options: ExhibitOptions, host: Host): Promise<Backend>;

// recipe, as in @holdfast/harness/exercise

// ========== @holdfast/harness/guards ==========

const CREATE_ORDER = "CREATE SEQUENCE write_order";

const CREATE_ROWS = "CREATE TABLE IF NOT EXISTS guarded_rows (id CHAR(1) PRIMARY KEY, n INTEGER NOT NULL, fence BIGINT NOT NULL)";

interface CheckedStore extends Pick<GuardSubject, 'name' | 'kind' | 'reset' | 'values' | 'waiting'> {
  admit?(token: bigint): Promise<boolean>;
  read(row: string): Promise<number>;
  write(row: string, value: number, token: bigint): Promise<WriteOutcome>;
}

interface GuardPlay {
  readonly lateAt: string;
  readonly nextAt: string | undefined;
  readonly isLateRefused: boolean;
  readonly verdict: Verdict;
}

interface GuardReport {
  readonly subject: string;
  readonly plays: readonly GuardPlay[];
  readonly broken: GuardPlay | undefined;
}

interface GuardSubject {
  readonly name: string;
  readonly kind: 'guard' | 'exhibit';
  reset(): Promise<void>;
  addToAll(holder: Holder, wrote: (write: RowWrite) => void): Promise<void>;
  values(): Promise<readonly number[]>;
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

interface GuardedDatabase<Tx> {
  readonly name: string;
  readonly guard: SqlGuard<Tx>;
  run(sql: string, tx?: Tx): Promise<readonly Readonly<Record<string, unknown>>[]>;
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

interface Holder {
  readonly name: string;
  readonly token: bigint;
  step(next: string): Promise<void>;
  blocked(): Promise<void>;
}

const KEY = "rows";

const NEIGHBOURS: {
  readonly late: bigint;
  readonly next: bigint;
};

const ROWS: readonly ['a', 'b'];

interface RowWrite {
  readonly row: string;
  readonly readValue: number;
  readonly outcome: WriteOutcome;
}

interface SqliteUnderTest {
  readonly name: string;
  connection(of: string): SqliteDatabase;
  values(sql: string): readonly number[];
  isBusy(error: unknown): boolean;
}

type WriteOutcome = number | 'refused';

function checkFirst<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function checkedWrites(store: CheckedStore): GuardSubject;

function drawOrder<Tx>(database: GuardedDatabase<Tx>, tx?: Tx): Promise<number>;

function isAdmitted(work: () => Promise<unknown>): Promise<boolean>;

function markThenReads<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function oneTransaction<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function playGuard(subject: GuardSubject): Promise<GuardReport>;

function readsBeforeMark<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function sqliteTransaction(store: SqliteUnderTest): GuardSubject;

function tokenPerRow<Tx>(database: GuardedDatabase<Tx>, write: CheckedStore['write']): GuardSubject;

function unlessRefused<T>(work: () => Promise<T>): Promise<T | 'refused'>;

// ========== @holdfast/harness/lab ==========

interface CellFigures {
  readonly trials: number;
  readonly effective: number;
  readonly description: string;
  readonly validity: Rate;
  readonly belief: Rate;
  readonly unfenced: Rate;
  readonly fenced: Rate | null;
  readonly updates: {
    readonly accepted: number;
    readonly lost: number;
  };
  readonly fencedUpdates: {
    readonly accepted: number;
    readonly refused: number;
    readonly lost: number;
    readonly stale: number;
  } | null;
  readonly indeterminate: Rate;
  readonly handoverMs: Spread;
  readonly unavailableMs: Spread;
  readonly outageMs?: Spread;
  readonly falseLosses?: Rate;
  readonly givenUp: number;
  readonly phases: Readonly<Record<'before' | 'during' | 'after', Phase>>;
  readonly availability: {
    readonly outageMs: number;
    readonly points: readonly {
      readonly atMs: number;
      readonly tookMs: number;
    }[];
    readonly silence?: UnservedSpan | undefined;
    readonly fromMs?: number;
    readonly healedMs?: number;
    readonly untilMs?: number;
    readonly rate?: {
      readonly fromMs: number;
      readonly stepMs: number;
      readonly granted: readonly number[];
    };
  };
  readonly example?: string | undefined;
}

interface CrossCheck {
  readonly verdict: 'same' | 'explained' | 'unexplained';
  readonly cells: readonly CrossCheckCell[];
  readonly known: readonly KnownDifference[];
  readonly simulator: object;
}

interface CrossCheckCell {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
  readonly claims: readonly CrossCheckClaim[];
}

interface CrossCheckClaim {
  readonly claim: 'validity' | 'belief' | 'resource';
  readonly simulator: ViolationCount;
  readonly laboratory: ViolationCount;
  readonly onlySeenBy: 'simulator' | 'laboratory' | null;
  readonly isKnown: boolean;
}

type ExpectationOf = (place: CellLocation) => LabCell['expected'] | undefined;

interface KnownDifference {
  readonly cells: readonly string[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  readonly why: string;
  readonly replay: string;
  readonly occurred: boolean;
}

interface LabCell {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
  readonly outcome: OutcomeId;
  readonly fenced: 'holds' | 'breaks' | 'n/a';
  readonly expected: {
    readonly outcome: OutcomeId;
    readonly fenced: string;
  } | null;
  readonly unexpected: boolean;
  readonly reason?: string | undefined;
  readonly figures: CellFigures | null;
  readonly timeline?: string | undefined;
  readonly story?: SimulatedStory | undefined;
}

interface LabReport {
  readonly format: 'holdfast-lab';
  readonly version: 2;
  readonly holdfast: string;
  readonly startedAt: string;
  readonly tookMs: number;
  readonly partial: boolean;
  readonly verdict: 'as-expected' | 'unexpected' | 'proved-nothing';
  readonly by: readonly string[];
  readonly command: string;
  readonly settings: {
    readonly ttlMs: number;
    readonly trials: number;
    readonly clients: number;
    readonly servers?: readonly StartedWith[] | undefined;
  };
  readonly rows: readonly FaultId[];
  readonly columns: readonly Column[];
  readonly cells: readonly LabCell[];
  readonly dial: readonly TtlPoint[];
  readonly notes: readonly string[];
  readonly both?: CrossCheck | undefined;
}

interface LabRequest {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly simulator: Simulator;
  readonly ttlMs: number;
  readonly otherTtlsMs: readonly number[];
  readonly trials: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  readonly full: boolean;
  readonly external?: ExternalLock | undefined;
  readonly own?: OwnServersScope | undefined;
  readonly out: string;
  readonly makeFolder: (folder: string) => void;
  readonly holdfast: string;
  readonly command: string;
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly step: (text: string) => void;
  readonly note: (text: string) => void;
}

interface OwnServers {
  readonly backend: string;
  readonly description: string;
  readonly targets: readonly ProxyTarget[];
  readonly ttlMsMin: number;
  opening(ports: readonly number[], namespace: string, ttlMs: number): Opening;
  removeNamespace(namespace: string): Promise<void>;
}

class OwnServersDeployment implements RealCluster {
  readonly links: ClientLinks;
  private constructor();
  static open(options: ClusterOptions, servers: OwnServers): Promise<OwnServersDeployment>;
  opening(place: number): Opening;
  close(): Promise<void>;
}

interface OwnServersScope {
  readonly servers: readonly OwnServers[];
  readonly namespace: string;
}

interface Phase {
  readonly perS: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface Rate {
  readonly hits: number;
  readonly of: number;
  readonly interval: Interval;
}

interface SimulatedStory {
  readonly name: string;
  readonly ofAnother: boolean;
  readonly drawing: string;
}

interface Simulator {
  readonly storyForCell: (place: CellLocation) => Promise<SimulatedStory | undefined>;
  readonly verdicts?: Verdicts | undefined;
}

interface Spread {
  readonly samples: number;
  readonly unended: number;
  readonly median: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  readonly interval?: {
    readonly low: number | null;
    readonly high: number | null;
  } | null;
}

interface StartedWith {
  readonly server: string;
  readonly columns: readonly string[];
  readonly command: string;
  readonly config: readonly string[];
}

interface TtlPoint {
  readonly column: string;
  readonly ttlMs: number;
  readonly broken: Rate;
  readonly handoverMs: Spread;
}

interface ViolationCount {
  readonly hits: number;
  readonly of: number;
}

function cleanUpNamespace(own: OwnServersScope): Promise<string | undefined>;

function leftoverText({ namespace }: OwnServersScope, why: string): string;

function pageOf(given: LabReport | LabReportOfVersion1): string;

function runLab(request: LabRequest): Promise<number>;

// ----- without a name of its own in @holdfast/harness/lab -----

interface CellLocation {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
}

class ClientLinks {
  private constructor();
  static open(proxies: Proxies, places: number, targets: readonly (ProxyTarget | number)[]): Promise<ClientLinks>;
  portsOf(place: number): readonly number[];
  cut(place: number, servers?: readonly number[], direction?: Direction): Promise<void>;
  healPlace(place: number, { drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  delay(delayMs: number, place?: number): Promise<void>;
  slow(servers: readonly number[], byMs: number): Promise<void>;
  silence(places: readonly number[], only: CutScope): Promise<void>;
  loseReplies(passes: number): Promise<void>;
  clog(server: number): Promise<void>;
  free(server: number): Promise<void>;
  heal({ drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  retarget(server: number, target: number, places?: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

interface ClusterOptions {
  readonly serverFactory: ServerFactory;
  readonly proxies: Proxies;
  readonly clientCount: number;
  readonly ttlMs: number;
  readonly namespace: string;
  readonly shim: string | undefined;
}

type CutScope = 'open' | 'subscribed';

type Direction = 'up' | 'down' | 'both';

class EtcdEnsemble {
  readonly servers: readonly EtcdServer[];
  private constructor();
  static start({ size, ...settings }?: EtcdEnsembleOptions, findPorts?: FindPorts): Promise<EtcdEnsemble>;
  get addresses(): readonly string[];
  get url(): string;
  leader(): Promise<EtcdServer | undefined>;
  close(): Promise<void>;
}

interface EtcdEnsembleOptions extends EtcdSettings {
  readonly size?: number | undefined;
}

interface EtcdMember extends EtcdSettings {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  readonly healthPort: number;
  readonly cluster: string;
}

class EtcdServer {
  readonly port: number;
  readonly name: string;
  readonly started: StartCommand;
  constructor(member: EtcdMember);
  static start(settings?: EtcdSettings, findPorts?: FindPorts): Promise<EtcdServer>;
  get address(): string;
  get url(): string;
  get pid(): number | undefined;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  close(): Promise<void>;
}

interface EtcdSettings {
  readonly heartbeatMs?: number | undefined;
  readonly electionMs?: number | undefined;
  readonly args?: readonly string[] | undefined;
  readonly tls?: EtcdTls | undefined;
}

interface EtcdTls {
  readonly cert: string;
  readonly key: string;
}

interface ExternalLock {
  readonly command: string;
  readonly on: string;
}

type FiguresOfVersion1 = Omit<CellFigures, 'description' | 'availability'> & {
  readonly told: CellFigures['description'];
  readonly course: CellFigures['availability'];
};

type FindPorts = (count: number) => Promise<readonly number[]>;

interface Interval {
  readonly low: number;
  readonly high: number;
}

type LabReportOfVersion1 = Omit<LabReport, 'version' | 'cells'> & {
  readonly version: 1;
  readonly cells: readonly (Omit<LabCell, 'figures'> & {
    readonly figures: FiguresOfVersion1 | null;
  })[];
};

interface LogEnd {
  readonly file: string;
  readonly offset: number;
}

interface Opener {
  readonly client: URL;
  open(opening: Opening, label: string): Promise<Locks | undefined>;
}

interface Opening {
  readonly backend: string;
  readonly [option: string]: unknown;
}

interface PeerRoute {
  readonly from: number;
  readonly to: number;
  readonly use: 'quorum' | 'election';
  readonly port: number;
}

class PostgresServer {
  readonly port: number;
  readonly started: StartCommand;
  constructor(port: number, options: PostgresServerOptions);
  static start(options?: PostgresServerOptions, findPorts?: FindPorts): Promise<PostgresServer>;
  get url(): string;
  sql(text: string): Promise<string>;
  configure(name: string, value?: string): Promise<void>;
  get pid(): number | undefined;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  logEnd(): Promise<LogEnd>;
  restartTorn({ file, offset }: LogEnd): Promise<void>;
  promote(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface PostgresServerOptions {
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  readonly password?: string | undefined;
  readonly standbyOf?: number | undefined;
  readonly schema?: string | undefined;
  readonly through?: readonly string[] | undefined;
}

class Proxies {
  constructor(gone: () => void);
  open(target: ProxyTarget | number): Promise<ProxyPort>;
  execute(command: ProxyCommand): Promise<number>;
  close(): void;
}

type ProxyCommand = {
  readonly kind: 'open';
  readonly target: ProxyTarget;
} | {
  readonly kind: 'cut';
  readonly port: number;
  readonly direction: Direction;
  readonly only?: CutScope | undefined;
} | {
  readonly kind: 'lose-replies';
  readonly port: number;
  readonly passes: number;
} | {
  readonly kind: 'delay';
  readonly port: number;
  readonly delayMs: number;
} | {
  readonly kind: 'heal';
  readonly port: number;
  readonly drop: boolean;
} | {
  readonly kind: 'retarget';
  readonly port: number;
  readonly target: ProxyTarget;
} | {
  readonly kind: 'close';
  readonly port: number;
};

class ProxyPort {
  readonly port: number;
  constructor(port: number, proxies: Proxies);
  cut(direction?: Direction, only?: CutScope): Promise<void>;
  loseReplies(passes: number): Promise<void>;
  delay(delayMs: number): Promise<void>;
  heal({ drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  retarget(target: number): Promise<void>;
  close(): Promise<void>;
}

interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

interface RealCluster {
  opening(place: number): Opening;
  readonly links?: ClientLinks;
  members?(which: ServerTarget): Promise<readonly RealMember[]>;
  advanceSequence?(): Promise<void>;
  stopReplication?(): Promise<void>;
  failover?(): Promise<void>;
  splitBrain?(stay: readonly number[]): Promise<void>;
  cutPeers?(whose: 'all' | 'holder', way?: 'out'): Promise<void>;
  healPeers?(): Promise<void>;
  close(): Promise<void>;
}

interface RealMember {
  stop(): void;
  resume(): void;
  crash(): Promise<void>;
  restart(data: RestartData): Promise<void>;
  keepLog(): Promise<void>;
  jumpWall(ms: number): Promise<void>;
}

class RedisServer {
  readonly port: number;
  readonly started: StartCommand;
  readonly folder: string;
  private constructor();
  static start(options?: RedisServerOptions, findPorts?: FindPorts): Promise<RedisServer>;
  get url(): string;
  get pid(): number | undefined;
  restart(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface RedisServerOptions {
  readonly args?: readonly string[];
  readonly durable?: boolean;
  readonly through?: readonly string[];
}

type RestartData = 'empty' | 'durable' | 'torn';

interface ServerFactory extends Opener {
  folder(prefix: string): string;
  remove(folder: string): void;
  process(parts: ServerProcessParts): ServerProcess;
  onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T>;
  readonly redis: {
    readonly binary: string;
    readonly version: string;
    start(options: RedisServerOptions): Promise<RedisServer>;
  } | undefined;
  readonly zookeeper: {
    readonly version: string;
    javaVersion(): string | undefined;
    start(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble>;
  } | undefined;
  readonly etcd: {
    readonly version: string;
    start(options: EtcdEnsembleOptions): Promise<EtcdEnsemble>;
  } | undefined;
  readonly postgres: {
    readonly version: string;
    start(options: PostgresServerOptions): Promise<PostgresServer>;
  } | undefined;
}

class ServerProcess {
  constructor(parts: ServerProcessParts);
  get pid(): number | undefined;
  restart(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface ServerProcessParts extends StartCommand {
  readonly name: string;
  readonly folder: string;
  isReady(output: string): Promise<boolean> | boolean;
}

type ServerTarget = 'all' | 'leader' | 'follower'
 | 'majority'
 | 'affected' | readonly number[];

interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly config?: string | undefined;
}

interface UnservedSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly ended: boolean;
}

interface Verdicts {
  play(): Promise<void>;
  crossCheck(cells: readonly LabCell[]): CrossCheck;
}

class ZooKeeperEnsemble {
  readonly servers: readonly ZooKeeperServer[];
  private constructor();
  static start(options?: ZooKeeperEnsembleOptions, findPorts?: FindPorts): Promise<ZooKeeperEnsemble>;
  get addresses(): readonly string[];
  get url(): string;
  leader(): Promise<ZooKeeperServer | undefined>;
  close(): Promise<void>;
}

interface ZooKeeperEnsembleOptions extends ZooKeeperSettings {
  readonly size?: number | undefined;
  readonly through?: readonly string[] | undefined;
  readonly syncLimit?: number | undefined;
  readonly peersThrough?: ((link: PeerRoute) => number | Promise<number>) | undefined;
}

type ZooKeeperMode = 'standalone' | 'leader' | 'follower';

class ZooKeeperServer {
  readonly port: number;
  readonly started: StartCommand;
  constructor(port: number, options: ZooKeeperServerOptions);
  static start(options?: ZooKeeperServerOptions, findPorts?: FindPorts): Promise<ZooKeeperServer>;
  get address(): string;
  get url(): string;
  get pid(): number | undefined;
  mode(): Promise<ZooKeeperMode | undefined>;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  keep(): void;
  restartTorn(): Promise<void>;
  stop(): void;
  stopped(): Promise<void>;
  resume(): void;
  kill(): void;
  close(): Promise<void>;
}

interface ZooKeeperServerOptions extends ZooKeeperSettings {
  readonly port?: number | undefined;
  readonly id?: number | undefined;
  readonly through?: readonly string[] | undefined;
}

interface ZooKeeperSettings {
  readonly tickMs?: number | undefined;
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  readonly properties?: Readonly<Record<string, string | number>> | undefined;
}

// ========== @holdfast/harness/playground ==========

const CLIENTS_MAX = 5;

const COMPARED_MAX = 5;

interface Catalogue {
  readonly locks: readonly PlayableLock[];
  readonly faults: readonly PlayableFault[];
  readonly placeable: readonly PlaceableFault[];
}

interface Choice extends LockChoice {
  readonly fault: FaultId;
  readonly clients: number;
  readonly seed: number;
}

interface Edit extends LockChoice {
  readonly schedule: Schedule;
  readonly add?: Placement;
  readonly nth?: number;
  readonly move?: {
    readonly atMs?: number;
    readonly ms?: number;
  };
}

interface FaultMark {
  readonly fault: number;
  readonly atMs: number;
  readonly lanes: readonly string[];
}

interface Film {
  readonly story: Story;
  readonly link?: string;
  readonly scene: Scene;
  readonly differences: readonly string[];
  readonly beginMs: number;
  readonly marks: readonly FaultMark[];
}

interface LockChoice {
  readonly lock: string;
  readonly code?: StoryCode | undefined;
}

const OWN_LOCK = "own";

interface PlaceableFault {
  readonly id: FaultId;
  readonly on: 'client' | 'node';
  readonly lasts: boolean;
}

interface Placement {
  readonly kind: FaultId;
  readonly lane: string;
  readonly atMs: number;
  readonly ms?: number;
}

interface PlayableFault {
  readonly id: FaultId;
  readonly meaning: string;
  readonly needsServers: boolean;
}

interface PlayableLock {
  readonly id: string;
  readonly kind: 'control' | 'lock' | 'exhibit' | 'debated';
  readonly meaning: string;
  readonly hasServers: boolean;
  readonly edits?: string;
  readonly entry?: string;
}

const REPLAY_STRING_MAX = 32768;

interface RealmPort {
  addEventListener(type: 'message', listener: (event: {
    readonly data: unknown;
  }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
}

interface RealmStart extends Required<LockChoice> {
  readonly code: StoryCode;
  readonly sources: PackageSources;
}

type RequestName = keyof Requests;

interface Requests {
  catalogue: {
    readonly request: object;
    readonly result: Catalogue;
  };
  story: {
    readonly request: {
      readonly text: string;
    };
    readonly result: Story;
  };
  read: {
    readonly request: {
      readonly text: string;
    };
    readonly result: Film;
  };
  deal: {
    readonly request: Choice;
    readonly result: Film;
  };
  seek: {
    readonly request: Choice & Seek;
    readonly result: Seeking;
  };
  edit: {
    readonly request: Edit;
    readonly result: Film;
  };
  connect: {
    readonly request: {
      readonly lock: string;
      readonly code: StoryCode;
      readonly port: RealmPort;
    };
    readonly result: object;
  };
  compare: {
    readonly request: {
      readonly story: Story;
      readonly locks: readonly string[];
    };
    readonly result: readonly Scene[];
  };
}

const SEEK_BUDGET = 20000;

interface Seek {
  readonly target?: TargetProperty;
  readonly budget?: number;
}

interface SeekProgress {
  readonly phase: 'searching' | 'shrinking';
  readonly plays: number;
  readonly budget: number;
}

interface Seeking {
  readonly film: Film | undefined;
  readonly plays: number;
}

interface Story {
  readonly v: 1;
  readonly backend: string;
  readonly fault: FaultId;
  readonly fenced: boolean;
  readonly property: StoryProperty;
  readonly schedule: Schedule;
  readonly expect: ExpectedResult;
  readonly code?: StoryCode;
}

interface StoryCode {
  readonly files: Readonly<Record<string, string>>;
}

function answer<N extends RequestName>(name: N, request: Requests[N]['request'], onProgress: (progress: SeekProgress) => void): Promise<Requests[N]['result']>;

function serveRealm({ lock, code, sources }: RealmStart, port: RealmPort): Promise<void>;

// ----- without a name of its own in @holdfast/harness/playground -----

const ACQUIRE_MODES: readonly ['body', 'leader'];

type AcquireMode = (typeof ACQUIRE_MODES)[number];

interface Aftermath {
  readonly atMs: number;
  readonly nodes: number;
  readonly how: PermanentFault;
  readonly still: string;
  readonly apartMs: number;
  readonly holdMs?: number;
}

interface ClientAction {
  readonly client: ClientId;
  readonly atMs: number;
}

type ClientId = string;

interface EnsembleSetup {
  readonly ticks: number;
  readonly syncLimit: number;
  readonly reapMs: number;
}

interface ExpectedResult {
  readonly kind: 'ok' | 'violated' | 'unknown' | 'stuck';
  readonly hash: string;
}

interface Fault {
  readonly kind: FaultId;
  readonly client?: ClientId;
  readonly nodes?: number;
  readonly when?: When;
  readonly label?: string;
  readonly way?: string;
  readonly n?: number;
  readonly stay?: string;
  readonly ms?: number;
  readonly [field: string]: string | number | When | undefined;
}

interface Op {
  readonly id: number;
  readonly client: ClientId;
  readonly atMs: number;
  readonly holdMs: number;
  readonly renews: boolean;
  readonly as?: AcquireMode;
  readonly waitMs?: number;
}

const PERMANENT_FAULTS: readonly ['down', 'stopped', 'cut', 'slow'];

type PackageSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

type PermanentFault = (typeof PERMANENT_FAULTS)[number];

interface Repointing {
  readonly nodes: number;
  readonly to: string;
  readonly atMs: number;
  readonly ms: number;
}

interface Schedule {
  readonly v: 1;
  readonly ttlMs: number;
  readonly latencyMs: number;
  readonly nodes: number;
  readonly replicas: number;
  readonly lagMs: number;
  readonly replicaClockMs: number;
  readonly ensemble?: EnsembleSetup;
  readonly newcomers?: string;
  readonly attempts?: number;
  readonly ops: readonly Op[];
  readonly faults: readonly Fault[];
  readonly choices?: readonly string[];
  readonly closings?: readonly ClientAction[];
  readonly collections?: readonly ClientAction[];
  readonly repointings?: readonly Repointing[];
  readonly aftermath?: Aftermath;
}

type StoryProperty = Exclude<PropertyId, 'server-state'> | 'liveness';

interface TargetProperty {
  readonly property: StoryProperty;
  readonly fenced: boolean;
}

type When = {
  readonly atMs: number;
} | {
  readonly before: string;
  readonly n: number;
  readonly by: string;
} | {
  readonly after: string;
  readonly n: number;
  readonly by: string;
};

// ========== @holdfast/harness/real ==========

class ChildProcesses {
  fork(entry: URL, args?: readonly string[], variables?: Readonly<Record<string, string>>): ChildProcess;
  close(): void;
}

interface Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  run(task: Task): Promise<readonly Sample[]>;
  measure(cost: Cost & {
    readonly locks: string;
  }): Promise<readonly number[]>;
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void>;
  proceed(key?: string): void;
  block(ms: number): number;
  stop(): number;
  resume(): void;
  kill(): number;
  fail(error: Error): void;
}

interface ClientKind {
  readonly shifts: boolean;
  readonly isExternal: boolean;
}

interface ClientReport {
  readonly kind: 'inside' | 'waiting' | 'granted' | 'renewed' | 'probed';
  readonly key: string;
}

class Clients {
  readonly clients: Client[];
  private constructor();
  static start(parts: ClientsParts): Promise<Clients>;
  get parts(): {
    readonly victim: Client;
    readonly others: readonly Client[];
  };
  proxyPortOf(place: number): ProxyPort;
  replace(old: Client): Client;
  replaceAll(): void;
  become(kind: ClientKind): void;
  get failure(): Promise<never>;
  entries(key: string): Promise<readonly LogEntry[]>;
  takeEntries(key: string): Promise<readonly LogEntry[]>;
  close(): void;
}

class ClocksUnreachable extends Error {
  readonly name = "ClocksUnreachable";
}

class ContentionTask {
  constructor(work: ContentionWork, context: ContentionContext);
  run(locks: Locks | undefined, signal: AbortSignal): Promise<void>;
}

interface ContentionWork {
  readonly key: string;
  readonly clients?: number;
  readonly rounds?: number;
  readonly lingers: boolean;
  readonly joinsLate?: boolean;
  readonly rechecksLease?: boolean;
  readonly restMs?: number;
  readonly thinkMs: number;
  readonly waitMs: number;
}

// CutScope, as in 

// Direction, as in 

const ETCD_HINT: string;

// EtcdEnsemble, as in 

// EtcdServer, as in 

class EventLog {
  constructor(path: string);
  add(entry: LogEntry): void;
  close(): void;
}

class ExternalClient implements Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  constructor(parts: ExternalClientParts);
  get ready(): Ready | undefined;
  run(task: Task): Promise<readonly Sample[]>;
  measure(): Promise<readonly number[]>;
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void>;
  proceed(): void;
  block(): number;
  stop(): number;
  resume(): void;
  kill(): number;
  fail(error: Error): void;
}

interface ExternalOpening extends Opening {
  readonly command: string;
  readonly servers: readonly string[];
  readonly ttlMs: number;
}

type FromClient = {
  readonly kind: 'done';
  readonly id: number;
  readonly found: TaskResult;
} | {
  readonly kind: 'failed';
  readonly id: number;
  readonly message: string;
} | ClientReport;

// LogEnd, as in 

type LogEntry = Without<HistoryEvent, 'seq'>;

interface NamedOpening {
  readonly backend?: undefined;
  readonly source: string;
  readonly store?: string | undefined;
  readonly override: Readonly<Record<string, string | number>>;
}

// Opener, as in 

// Opening, as in 

const POSTGRES_HINT: string;

// PeerRoute, as in 

class PostgresReplication {
  private constructor();
  static start(options: ReplicationOptions): Promise<PostgresReplication>;
  get primary(): PostgresServer;
  addStandby(): Promise<void>;
  cut(): Promise<void>;
  heal(): Promise<void>;
  promote(): Promise<PostgresServer>;
  close(): Promise<void>;
}

// PostgresServer, as in 

// PostgresServerOptions, as in 

interface Probing {
  readonly probeKey: string;
  readonly probeEveryMs: number;
  readonly probeWaitMs: number;
}

// Proxies, as in 

class Proxy {
  accepted: number;
  private constructor();
  static start(target: ProxyTarget | number, tap?: Tap): Promise<Proxy>;
  get port(): number;
  get url(): string;
  get heldBytes(): number;
  cut(direction?: Direction, only?: CutScope): void;
  delay(delays: Delays): void;
  loseReplies(passes?: number): void;
  heal({ drop }?: {
    readonly drop?: boolean | undefined;
  }): void;
  retarget(target: ProxyTarget | number): void;
  reset(side?: 'client' | 'server' | 'both'): void;
  close(): Promise<void>;
}

// ProxyPort, as in 

// ProxyTarget, as in 

// RedisServer, as in 

// RedisServerOptions, as in 

class ResourceClient {
  constructor(port: number);
  request(request: Without<ToResource, 'id'>): Promise<Reading | null>;
}

interface Sample {
  readonly atMs: number;
  readonly tookMs: number;
  readonly ok: boolean;
  readonly why?: string;
  readonly released?: Release['kind'];
}

// ServerFactory, as in 

// ServerProcess, as in 

class ShiftedClock {
  readonly environment: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  constructor(library: string, folder: string, name: string);
  set(aheadMs: number): void;
  sleep(forMs: number): void;
}

// StartCommand, as in 

class Supervisor {
  private constructor();
  static get(): Supervisor;
  folder(prefix: string): string;
  remove(folder: string): void;
  watch(child: ChildProcess): void;
  watchGroup(child: ChildProcess): void;
  unwatchGroup(child: ChildProcess): void;
  start(request: StartRequest): Promise<Supervised>;
  waitFor<T>(what: Promise<T>): Promise<T>;
}

type Task = {
  readonly locks?: string;
} & ({
  readonly kind: 'open';
  readonly opening: Opening | NamedOpening;
}
 | {
  readonly kind: 'begin';
  readonly work: ContentionWork & Probing;
}
 | {
  readonly kind: 'finish';
}
 | {
  readonly kind: 'work';
  readonly work: ContentionWork;
} | Cost);

interface TaskResult {
  readonly samples?: readonly Sample[];
  readonly figures?: readonly number[];
}

type ToClient = {
  readonly kind: 'task';
  readonly id: number;
  readonly task: Task;
}
 | {
  readonly kind: 'proceed';
  readonly key?: string | undefined;
} | {
  readonly kind: 'block';
  readonly ms: number;
};

const ZOOKEEPER_HINT: string;

// ZooKeeperEnsemble, as in 

// ZooKeeperServer, as in 

function compileShim(folder: string): Promise<string | undefined>;

function createServerFactory(env: NodeJS.ProcessEnv, opener: Opener): ServerFactory;

function etcdVersion(binary: string): string;

function findEtcd(env?: NodeJS.ProcessEnv): string | undefined;

function findPostgres(env?: NodeJS.ProcessEnv): PostgresInstall | undefined;

function findRedisServer(env?: NodeJS.ProcessEnv): string | undefined;

function findZooKeeper(env?: NodeJS.ProcessEnv): ZooKeeperInstall | undefined;

function historyOf(entries: readonly LogEntry[], zeroMs?: number): HistoryEvent[];

function hostMs(): number;

function livingOnly(entries: readonly LogEntry[]): readonly LogEntry[];

function probe({ probeKey, probeEveryMs, probeWaitMs: waitMs }: Probing, locks: Locks, { signal, granted }: {
  readonly signal: AbortSignal;
  readonly granted: () => void;
}): Promise<readonly Sample[]>;

function redisServerVersion(): string | undefined;

// ----- without a name of its own in @holdfast/harness/real -----

interface AdapterLimits {
  readonly startMs: number;
  readonly replyMs: number;
  readonly endMs: number;
}

interface ClientsParts {
  readonly client: URL;
  readonly size: number;
  readonly proxies?: Proxies;
  readonly onResourceEnd?: () => void;
  readonly shim?: string | undefined;
}

interface ContentionContext {
  readonly name: string;
  readonly log: EventLog;
  readonly resource: ResourceClient;
  untilSignalled(): Promise<void>;
  report(what: ClientReport['kind']): void;
}

type Cost = {
  readonly kind: 'uncontended';
  readonly key: string;
  readonly rounds: number;
} | {
  readonly kind: 'contended';
  readonly key: string;
  readonly waiters: number;
  readonly spanMs: number;
};

interface Delays {
  readonly up?: number;
  readonly down?: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface ExternalClientParts {
  readonly name: string;
  readonly logPath: string;
  readonly resourcePort: number;
  readonly clock?: ShiftedClock | undefined;
  readonly limits?: AdapterLimits;
}

interface PostgresInstall {
  readonly bin: string;
  readonly version: string;
}

interface Reading {
  readonly plain: number;
  readonly fenced: number | null;
}

interface Ready {
  readonly ready: number;
  readonly name?: string;
  readonly options?: string;
}

interface ReplicationLink {
  readonly port: number;
  cut(): unknown;
  heal(options: {
    readonly drop: boolean;
  }): unknown;
  retarget(port: number): unknown;
  close(): unknown;
}

interface ReplicationOptions {
  readonly standbys: number;
  readonly isSynchronous: boolean;
  readonly schema?: string | undefined;
  readonly start: (options: PostgresServerOptions) => Promise<PostgresServer>;
  readonly openLink: (port: number) => Promise<ReplicationLink>;
}

interface StartRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly log: string;
}

interface Supervised {
  readonly pid: number;
  readonly exit: Exit | undefined;
  readonly gone: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
}

type Tap = (client: Socket, server: Socket) => void;

type ToResource = {
  readonly id: number;
  readonly key: string;
  readonly client: string;
  readonly hold: string;
  readonly token?: string | undefined;
} & ({
  readonly kind: 'read';
} | {
  readonly kind: 'write';
  readonly plain: number;
  readonly fenced: number | null;
});

type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;

type Without<R, K extends PropertyKey> = R extends unknown ? Omit<R, K> : never;

interface ZooKeeperInstall {
  readonly java: string;
  readonly classPath: string;
  readonly version: string | undefined;
}

// ========== @holdfast/harness/simulator ==========

// Aftermath, as in 

type AnchorMoment = 'before' | 'after';

const BATCH = 64;

interface CallLatency {
  readonly requestMs?: number;
  readonly replyMs?: number;
}

interface Choreography {
  readonly description: string;
  readonly variant?: string;
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

class ClientEnv implements SubjectEnv {
  readonly nodes: readonly RedisNode[];
  constructor(lock: string, view: ClientView, memory?: EnvMemory);
  get node(): RedisNode;
  get openSession(): SubjectEnv['openSession'];
  get etcd(): SubjectEnv['etcd'];
  get database(): SubjectEnv['database'];
  get openClient(): SubjectEnv['openClient'];
  get sessionTtlMs(): number;
  get store(): MemoryStore;
  get link(): MemoryLink;
  close(): Promise<void>;
}

// ClientId, as in 

type ClientTarget = 'holder' | 'waiter';

interface Cluster {
  readonly network: Network;
  readonly members: readonly Member[];
  readonly lagMs: number;
  readonly hasQueue: boolean;
  readonly noticesSilence: boolean;
  view(process: SimProcess): ClientView;
  serving(mask: number): readonly Member[];
  failover?(mask: number, ms: number): readonly string[];
  splitBrain?(mask: number, ms: number, stay: readonly ClientId[]): readonly string[];
  cutPeers?(mask: number, ms: number, way?: 'out' | 'in'): readonly string[];
  slow?(mask: number, byMs: number, ms: number): readonly string[];
  repoint?(mask: number, ms: number, to: string): boolean;
  holds(owner: string): HoldState;
  serverHolds(lock: LockKey): readonly ServerHold[];
  observed(): Observations;
  leftovers(at: LeftoverMoment, options: LeftoverOptions): readonly string[];
  contents(number: (value: string) => string): readonly string[];
}

const DEFAULT_LIVENESS_BOUNDS: LivenessBounds;

interface Deployment {
  readonly servers: number;
  readonly called: string;
  readonly isEnsemble: boolean;
  readonly isUserOwned?: true;
  readonly rejectsAheadClients?: true;
  readonly isSynchronous?: true;
  readonly lock?: RealLock;
  readonly ttlMs: number;
  readonly slackMs?: number;
  readonly verbs: readonly Verb[];
  readonly lacks?: Readonly<Partial<Record<Verb, string>>>;
  readonly failover?: string;
}

type Driver = (turn: RunTurn, rest: () => void) => Promise<void>;

const EPOCH_MS: number;

interface Effect {
  readonly resource: string;
  readonly accepted: boolean;
  readonly fenced: boolean;
  readonly token?: bigint | undefined;
  readonly value?: number | undefined;
  readonly readValue?: number | undefined;
}

interface EngineOptions {
  readonly nowUs: () => number;
  readonly runId: string;
  readonly isCluster?: boolean;
  readonly publish: (channel: string, message: string, sharded: boolean) => number;
  readonly wrote?: (effect: readonly string[]) => void;
  readonly published?: (effect: readonly string[]) => void;
}

type EngineReply = string | number | null | ErrorReply | readonly EngineReply[];

interface EngineSnapshot {
  readonly entries: readonly (readonly [
    key: string,
    value: Value,
    expiresAtMs: number | undefined
  ])[];
}

interface ErrorReply {
  readonly error: string;
}

interface ExhaustOptions {
  readonly timeModel: TimeModel;
  readonly budget: number;
  readonly naive?: boolean;
  readonly onRun: (run: ExhaustedRun, soFar: Explored) => boolean;
  readonly guard?: boolean;
  readonly driver?: Driver;
}

interface ExhaustedRun extends Pick<Steered, 'endState'> {
  readonly played: PlayResult;
}

// ExpectedResult, as in 

interface Explored {
  readonly runs: number;
  readonly abandoned: number;
  readonly isComplete: boolean;
}

const FAULTS: FaultRegistry;

const FAULT_IDS: readonly FaultId[];

// Fault, as in 

class FaultRegistry {
  readonly all: readonly FaultUnderTest[];
  constructor(all: readonly FaultUnderTest[]);
  get ids(): readonly FaultId[];
  find(id: FaultId): FaultUnderTest | undefined;
  get(id: FaultId): FaultUnderTest;
  select(ids: readonly FaultId[]): readonly FaultUnderTest[];
}

interface FaultUnderTest<Element extends Fault = Fault> {
  readonly id: FaultId;
  readonly meaning: string;
  readonly reason: string;
  readonly fields: FaultFields;
  readonly varies?: readonly string[];
  readonly takesServiceAway?: true;
  readonly isTimeless?: true;
  readonly needs?: 'servers' | 'replicas';
  readonly generation?: GenerationOptions;
  readonly pausesClients?: true;
  readonly onlyDelays?: true;
  readonly silences?: true;
  readonly isSudden?: true;
  generate(circumstances: Circumstances): fc.Arbitrary<Element>;
  generateBeside?(schedules: fc.Arbitrary<Schedule>, other: FaultUnderTest, circumstances: Circumstances): fc.Arbitrary<Schedule>;
  generatedAs?(variation: string, nodes: number): fc.Arbitrary<Schedule> | undefined;
  arm(run: Run, element: Element, index: number): void;
  text(element: Element, servers: Servers): string;
  jumpMs?(element: Element): number;
  staysAway?(element: Element, ttlMs: number): boolean;
  real(deployment: Deployment): readonly Choreography[] | Unplayable;
  isMostTelling?(deployment: Deployment): boolean;
}

interface Hold {
  readonly id: string;
  readonly process: SimProcess;
  readonly key: string;
}

interface Injection {
  readonly kind: FaultId;
  readonly fault: number;
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs: number;
  readonly effective: boolean;
}

interface KeyChange {
  readonly atMs: number;
  readonly client: string;
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  readonly of: string;
}

interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  readonly how: 'expired' | 'deleted';
}

class Lazy<M extends object> {
  constructor(load: () => Promise<M>);
  get module(): M;
  load(): Promise<void>;
}

interface LivenessBounds {
  settleMs(conditions: LivenessConditions): number;
  handoverMs(conditions: LivenessConditions): number;
}

interface LivenessConditions {
  readonly ttlMs: number;
  readonly latencyMs: number;
  readonly lagMs?: number;
  readonly isReaped?: boolean;
  readonly isOpening?: boolean;
  readonly waiters: number;
  readonly jumpedMs: number;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly way: MessageKind;
  readonly label: string;
  readonly n: number;
}

type MessageKind = 'request' | 'reply' | 'push';

interface Minimised {
  readonly schedule: Schedule;
  readonly plays: number;
}

const NONE: FaultId;

interface Named {
  readonly name: string;
}

class Network {
  constructor(world: World, options: NetworkOptions);
  rule(rule: Rule): () => void;
  cut(a: Named, b: Named, options?: {
    readonly oneWay?: boolean;
  }): () => void;
  slow(servers: readonly Named[], byMs: number): () => void;
  connect(process: SimProcess, endpoint: Endpoint, listener: ConnectionListener): Connection;
  channel(from: Named, to: Named): FaultyChannel;
}

interface NetworkOptions {
  readonly latencyMs: number;
  readonly beside?: ((endpoint: string) => readonly Named[]) | undefined;
}

// Op, as in 

interface PlayOptions {
  readonly trace?: boolean;
  readonly guard?: boolean;
  readonly driver?: Driver;
  readonly recordsKeyFreed?: boolean;
  readonly maxEvents?: number;
}

interface PlayResult {
  readonly schedule: Schedule;
  readonly subject: string;
  readonly history: readonly HistoryEvent[];
  readonly complaints: readonly string[];
  readonly touches: readonly KeyChange[];
  readonly records?: readonly HoldRecord[];
  readonly refusals?: readonly RefusalRecord[];
  readonly ambient?: string;
  readonly keyFreed?: readonly KeyFreed[];
  readonly queueTickets?: readonly QueueTicket[];
  readonly serverHolds: readonly ServerHold[];
  readonly injections: readonly Injection[];
  readonly effective: boolean;
  readonly ops: number;
  readonly accepted: number;
  readonly sometimes: ReadonlySet<Sometimes>;
  readonly trace: readonly TraceRecord[];
  readonly hash: string | undefined;
}

interface ProcessOptions {
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
}

// REPLAY_STRING_MAX, as in @holdfast/harness/playground

interface Random {
  next(): number;
  below(limit: number): number;
  id(): string;
}

interface RealLock {
  readonly renews: boolean;
  readonly trustsClientClocks?: true;
  readonly notifiedOn?: 'subscribed' | 'open';
}

class Recorder {
  constructor(world: World);
  acquire(process: SimProcess, key: string): Hold;
  granted(hold: Hold, valid: ValidFor, token?: bigint, mode?: HoldMode, atMs?: number): void;
  renewed(hold: Hold, valid: ValidFor, askedMs?: number): void;
  claimed(hold: Hold): void;
  denied(hold: Hold, reason: string): void;
  doubt(hold: Hold, reason: string): void;
  lost(hold: Hold, reason: string): void;
  release(hold: Hold): void;
  released(hold: Hold, outcome: 'released' | 'not-held' | 'unknown'): void;
  enter(hold: Hold): void;
  exit(hold: Hold): void;
  write({ id: hold, process, key }: Hold, effect: Effect): void;
  paused(process: SimProcess, ms: number): void;
  crashed(process: SimProcess): void;
  history(): readonly HistoryEvent[];
}

interface RedisAddress {
  readonly name: string;
  serverFor(process: SimProcess): LinkServer;
  readonly dialled?: Set<Connection>;
}

class RedisEngine {
  role: 'master' | 'replica';
  constructor(options: EngineOptions);
  execute(args: readonly string[]): EngineReply;
  apply(effect: readonly string[]): void;
  exists(key: string): boolean;
  snapshot(): EngineSnapshot;
  restore(snapshot: EngineSnapshot): void;
  expiries(): Generator<{
    key: string;
    atUs: number;
  }>;
  keysNow(): readonly string[];
  stringsNow(): ReadonlyMap<string, PreviousValue>;
  stringNow(key: string): PreviousValue | undefined;
}

// Repointing, as in 

// RestartData, as in 

interface RestartOptions {
  readonly data: 'empty' | 'durable' | 'torn';
  readonly lost?: number;
  readonly downMs?: number;
}

type Rule = (message: Message) => RuleOutcome;

type RuleOutcome = 'pass' | 'drop' | 'reset' | {
  readonly delayMs: number;
};

type RunTurn = () => boolean;

const SERVER_KINDS: Readonly<Record<ServerKindName, ServerKind>>;

const SOMETIMES: readonly ['contended acquire', 'a lease ran out while held', 'a holder came late', 'a token was refused', 'a client died', 'a key was handed over in an aftermath', 'exactly a quorum', 'an unreplicated lock was lost'];

// Schedule, as in 

class ScheduleError extends Error {
  readonly name = "ScheduleError";
  readonly path: string;
  constructor(path: string, why: string, cause?: unknown);
}

interface Scope {
  readonly clients: number;
  readonly nodes: number;
  readonly inOrder?: boolean;
}

type ServerKindName = 'redis' | 'zookeeper' | 'etcd' | 'postgres';

// ServerTarget, as in 

interface Setup extends Partial<Circumstances> {
  readonly renews: boolean;
  readonly fixedShare?: number;
  readonly overruns?: boolean;
  readonly replicaClockMs?: number;
  readonly faultsMax?: number;
  readonly newcomer?: boolean;
  readonly lagging?: boolean;
  readonly aftermath?: boolean;
  readonly ttlTimes?: number;
  readonly fewer?: boolean;
  readonly shutdown?: boolean;
  readonly collector?: boolean;
  readonly repointed?: boolean;
  readonly givingUp?: boolean;
}

type ShowsViolation = (schedule: Schedule) => Promise<boolean>;

class SimAmbientError extends Error {
  readonly name = "SimAmbientError";
  constructor(what: string);
}

class SimLimitError extends Error {
  readonly name = "SimLimitError";
}

class SimProcess implements EventOwner {
  readonly name: string;
  readonly runtime: Runtime;
  readonly clientRuntime: Pick<Runtime, 'now' | 'timer' | 'random'>;
  readonly times: ClockTimes;
  constructor(kernel: Kernel, machine: Machine);
  get nowMs(): number;
  get nowUs(): number;
  get readyAtUs(): number;
  get crashed(): boolean;
  get crashedAtMs(): number;
  get clocks(): Instant;
  get timers(): {
    readonly live: number;
    readonly awaited: number;
  };
  sleep(ms: number): Promise<void>;
  call<T>(label: string, effect: () => T | Promise<T>, latency?: CallLatency): Promise<T>;
  departs(label: string): number;
  departed(label: string): void;
  wasAliveAt(atUs: number): boolean;
  deliver(label: string, run: () => void, delayMs?: number): void;
  pause(ms: number): void;
  block(ms: number): void;
  stallBefore(label: string, n: number, ms: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
  crash(): void;
  restart(): SimProcess;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  suspend(ms: number): void;
  collect(target: object): void;
}

interface SimRedisNodeOptions {
  readonly connectMs?: number;
  readonly silenceMs?: number;
  readonly counts?: boolean;
}

class SimRedisServer implements Endpoint {
  readonly name: string;
  readonly storage: Storage;
  constructor(world: World, name: string, options?: SimRedisServerOptions);
  get engine(): RedisEngine;
  get program(): ServerRun;
  get readyAtUs(): number;
  get isUp(): boolean;
  get wallMs(): number;
  wallAt(atMs: number): number;
  whenWall(wallMs: number): number;
  keys(): readonly string[];
  serverFor(): this;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

interface SimRedisServerOptions extends StorageObservers {
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
  readonly slots?: SlotGuard | undefined;
  readonly keyChanges?: KeyChangeWatch;
}

class SimRedisService implements RedisAddress {
  readonly name: string;
  readonly servers: readonly SimRedisServer[];
  readonly dialled: Set<Connection>;
  constructor(world: World, network: Network, options: SimRedisServiceOptions);
  get master(): SimRedisServer;
  get replica(): SimRedisServer | undefined;
  serverFor(process: SimProcess): SimRedisServer;
  failover({ afterMs, promoted, }?: {
    readonly afterMs?: number;
    readonly promoted?: () => void;
  }): void;
  splitBrain({ staysWithOld }: SplitBrainOptions): () => void;
  promoteBeside(staysWithOld?: readonly Named[]): () => void;
  leadTo(other: SimRedisService): () => void;
}

interface SimRedisServiceOptions {
  readonly name: string;
  readonly master: SimRedisServer;
  readonly replica?: SimRedisServer;
  readonly lagMs?: number;
}

class SimSentinel implements LinkServer, EventOwner {
  readonly name: string;
  readonly readyAtUs = 0;
  readonly crashed = false;
  constructor(world: World, name: string, config: MasterConfig);
  get program(): this;
  get id(): string;
  meets(sentinels: readonly SimSentinel[]): void;
  learn(config: MasterConfig, how: 'led' | 'heard'): void;
  serverFor(): this;
  accept(): EventOwner;
  disconnected(connection: Connection): void;
  serve(connection: Connection, label: string, args: readonly string[], replied: (reply: EngineReply) => void): void;
  subscribe(connection: Connection, channel: string, heard: (text: string) => void, replied: (reply: EngineReply) => void): void;
  unsubscribe(connection: Connection, channel: string): void;
}

class SimStuckError extends Error {
  readonly name = "SimStuckError";
  constructor(atMs: number);
}

class SimUnhandledError extends Error {
  readonly name = "SimUnhandledError";
  constructor(atMs: number, reason: unknown);
}

class SimUnsupportedError extends Error {
  readonly name: string;
  constructor(what: string, server?: string);
}

class SlotGuard {
  readonly view: SlotView;
  constructor(name: string, view: SlotView);
  replyTo(args: readonly string[], { asking, exists }: {
    readonly asking: boolean;
    readonly exists: (key: string) => boolean;
  }): EngineReply | undefined;
  replyToChannel(channel: string): EngineReply | undefined;
  hasLost(channel: string): boolean;
}

type Sometimes = (typeof SOMETIMES)[number];

interface SplitBrainOptions {
  readonly staysWithOld: readonly Named[];
}

type Step =
{
  readonly do: 'await';
  readonly moment: 'renewal' | 'end';
}
 | {
  readonly do: 'hold';
  readonly until: 'over' | 'takeover' | 'served';
}
 | {
  readonly do: 'meanwhile';
  readonly everyMs: number;
  readonly steps: readonly Step[];
  readonly again?: true;
}
 | {
  readonly do: 'leave';
}
 | {
  readonly do: 'arrive';
} | {
  readonly do: 'pause';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'sleep';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'block';
  readonly client: ClientTarget;
} | {
  readonly do: 'resume';
  readonly client: ClientTarget;
} | {
  readonly do: 'kill';
  readonly client: ClientTarget;
} | {
  readonly do: 'jumpClock';
  readonly client: ClientTarget;
  readonly ms: number;
}
 | {
  readonly do: 'holdWrites';
  readonly client: ClientTarget;
} | {
  readonly do: 'releaseWrites';
  readonly client: ClientTarget;
} | {
  readonly do: 'stop';
  readonly servers: ServerTarget;
} | {
  readonly do: 'resumeServers';
  readonly servers: ServerTarget;
} | {
  readonly do: 'crash';
  readonly servers: ServerTarget;
} | {
  readonly do: 'restart';
  readonly servers: ServerTarget;
  readonly data: RestartData;
}
 | {
  readonly do: 'slow';
  readonly servers: readonly number[];
  readonly ms: number;
}
 | {
  readonly do: 'keepLog';
  readonly servers: ServerTarget;
} | {
  readonly do: 'jumpWall';
  readonly servers: ServerTarget;
  readonly ms: number;
}
 | {
  readonly do: 'age';
}
 | {
  readonly do: 'stopReplication';
} | {
  readonly do: 'failover';
}
 | {
  readonly do: 'splitBrain';
  readonly stay: ClientTarget;
}
 | {
  readonly do: 'cutPeers';
  readonly whose: 'all' | 'holder';
  readonly way?: 'out';
} | {
  readonly do: 'healPeers';
}
 | {
  readonly do: 'delay';
  readonly client?: ClientTarget;
  readonly ms: number;
}
 | {
  readonly do: 'cut';
  readonly client: ClientTarget;
  readonly servers?: readonly number[];
  readonly way?: 'reply';
}
 | {
  readonly do: 'silence';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'loseReplies';
  readonly after: number;
}
 | {
  readonly do: 'clog';
  readonly server: number;
} | {
  readonly do: 'free';
  readonly server: number;
}
 | {
  readonly do: 'heal';
  readonly held: 'lost' | 'arrives';
};

type StillFails = (schedule: Schedule) => Promise<boolean>;

// Story, as in @holdfast/harness/playground

// StoryCode, as in @holdfast/harness/playground

// StoryProperty, as in 

interface Subject {
  readonly name: string;
  readonly open?: (env: SubjectEnv, host: Host) => Promise<Backend>;
  readonly load?: () => Promise<void>;
  readonly nodes: number;
  readonly servers?: string;
  readonly ensemble?: boolean;
  readonly topology?: Topology;
  readonly schema?: () => string;
  readonly databaseClient?: typeof postgresClient;
  readonly renews: boolean;
  readonly fixedShare?: number;
  readonly tokens: boolean;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly points?: readonly string[];
  readonly overruns?: boolean;
  readonly requests?: readonly string[];
  readonly tidy?: boolean;
  readonly core?: SubjectCore;
  readonly openSessions?: typeof openSessions;
  readonly patience?: LivenessBounds;
  readonly waiterOf?: (name: string, where: string) => string | undefined;
  readonly modeWaiterOf?: Subject['waiterOf'];
  readonly modeOf?: (op: Op) => HoldMode;
  readonly continuationOf?: (op: Op) => Continuation | undefined;
  readonly keeps?: (key: string) => boolean;
}

interface SubjectCore {
  readonly createHost: typeof createHost;
  readonly createLocks: typeof createLocks;
  readonly MemoryStore: typeof MemoryStore;
}

interface SubjectEnv extends Ports {
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  readonly store: MemoryStore;
  readonly link: MemoryLink;
}

type TimeModel = 'calls time out' | 'calls are in time' | 'calls are over' | 'no time passes';

interface Topology {
  readonly kind: 'sentinels' | 'cluster' | 'synchronous' | 'pooler' | 'old-release';
  readonly isSplit?: boolean;
  readonly moves?: boolean;
  readonly client?: typeof redisClient;
}

class Trace {
  constructor(kept: boolean);
  get records(): readonly TraceRecord[];
  get isKept(): boolean;
  add(record: Omit<TraceRecord, 'seq'>): number;
  hash(): string;
}

interface TraceRecord {
  readonly seq: number;
  readonly atUs: number;
  readonly process: string;
  readonly kind: string;
  readonly cause: number;
  readonly label?: string;
  readonly departUs?: number;
  readonly to?: string;
  readonly detail?: string;
}

interface Unplayable {
  readonly unplayable: string;
}

type ValidFor = {
  readonly validity: Validity;
} | {
  readonly remainingMs: number;
};

type Verb = Exclude<Step['do'], 'await' | 'hold' | 'meanwhile' | 'restart' | 'jumpWall'> | 'jumpAhead' | 'jumpBack' | 'restartEmpty' | 'restartDurable' | 'restartTorn';

// When, as in 

class World {
  constructor(options?: WorldOptions);
  get nowMs(): number;
  get trace(): Trace;
  process(name: string, options?: ProcessOptions): SimProcess;
  at(ms: number, run: () => void): void;
  after(ms: number, run: () => void): void;
  note(process: string, kind: string, label?: string): void;
  pendingTimers(process?: SimProcess): number;
  awaitedTimers(process?: SimProcess): number;
  run<T>(main: () => Promise<T> | T): Promise<T>;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

interface WorldOptions extends EventLoopOptions {
  readonly seed?: number;
  readonly trace?: boolean;
  readonly queue?: Queue | undefined;
}

function batchOf(schedules: fc.Arbitrary<Schedule>, seed: number, n: number): readonly Schedule[];

const channelDriver: Driver;

function clientsOf({ ops }: Pick<Schedule, 'ops'>): readonly ClientId[];

const clusterOf: ClusterOf;

function exhaust(subject: Subject, scope: exhausting.Scope, options: exhausting.ExhaustOptions): Promise<Explored>;

function hashOf(records: readonly TraceRecord[]): string;

const immediateDriver: Driver;

function isWholeUs(ms: number): boolean;

function keepGuard(): () => void;

function kindOf({ nodes, ensemble, servers, }: Pick<Subject, 'nodes' | 'ensemble' | 'servers'>): string;

function loadServers(subject: Subject): Promise<void>;

function meaningOfFault(id: FaultId): string;

function minimise(schedule: Schedule, fails: StillFails, options?: MinimiseOptions): Promise<Minimised>;

function moveKey(source: SimRedisServer, target: SimRedisServer, turn: number): boolean;

function needsServers(id: FaultId): boolean;

function nodeName(node: number): string;

function nodesIn(mask: number): readonly number[];

function parseSchedule(value: unknown, path?: string): Schedule;

function parseStory(value: unknown): Story;

function parseStoryText(text: string): Story;

function play(schedule: Schedule, subject: Subject, options?: PlayOptions): Promise<PlayResult>;

function random(seed: number | string): Random;

function refusing<T extends object>(what: string, original: T): T;

function schedulesFor(ids: readonly FaultId[], setup: Setup): fc.Arbitrary<Schedule>;

function serverKind(name: string): ServerKind | undefined;

function shorten(schedule: Schedule, shows: ShowsViolation): Promise<Schedule>;

function simRedisNode(process: SimProcess, address: RedisAddress, network: Network, options?: SimRedisNodeOptions): MemberNode;

function stepsOf({ before, steps }: Choreography): readonly Step[];

function storyFromString(text: string): Story;

function storyToString(story: Story): string;

function verbOf(step: Step): Verb | undefined;

// ----- without a name of its own in @holdfast/harness/simulator -----

class Anchors {
  get isEmpty(): boolean;
  add(moment: AnchorMoment, label: string, n: number, run: () => void): void;
  passed(moment: AnchorMoment, label: string): void;
}

interface AttemptRecord {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: Attempt['kind'] | 'threw';
  readonly isWhole: boolean;
}

interface Circumstances {
  readonly nodes: number;
  readonly points?: readonly string[];
  readonly requests?: readonly string[];
  readonly variation?: string;
  readonly affected?: 'minority' | 'all';
  readonly ensemble?: boolean;
}

class ClientCalls {
  open: number;
  constructor(run: Run, process: SimProcess);
  call<T>(label: string, effect: () => T): Promise<T>;
  link(called: (label: string) => void): MemoryLink;
}

interface ClientRequest {
  readonly client: string;
  readonly label: string;
}

interface ClientView extends Partial<Ports> {
  readonly nodes: readonly RedisNode[];
}

class Clock {
  constructor(options: ClockOptions);
  read(atUs: number): ClockReading;
  monotonicUs(atUs: number): number;
  wallUs(atUs: number): number;
  whenMonotonic(targetUs: number, sinceUs: number): number;
  whenWall(targetUs: number, sinceUs: number): number;
  jumpWall(atUs: number, byUs: number): void;
  setDrift(atUs: number, ppm: number): void;
  stopMonotonic(atUs: number, untilUs: number): void;
}

interface ClockOptions {
  readonly monotonicMs: number;
  readonly wallOffsetMs: number;
  readonly driftPpm: number;
}

interface ClockReading {
  readonly monotonicUs: number;
  readonly wallUs: number;
}

class ClockTimes {
  constructor(clock: Clock, nowUs: () => number);
  agoMs(ms: number): number;
  inMs(ms: number): number;
  clocksAt(atMs: number): Instant;
  endOf(validity: Validity): number;
}

type ClusterOf = (world: World, schedule: Schedule, subject: Subject, keeper?: StoreKeeper) => Cluster;

class Connection {
  readonly process: SimProcess;
  constructor({ kernel, process, endpoint, listener, outbound, inbound }: ConnectionParts);
  dial(): void;
  request(label: string, run: () => void, detail?: Detail): void;
  reply(label: string, departUs: number, run: () => void, detail?: Detail): void;
  push(label: string, departUs: number, run: () => void, detail?: Detail): void;
  close(): void;
  abort(reason: string): void;
  reset(reason: string): void;
  get isOver(): boolean;
}

interface ConnectionListener {
  ready(): void;
  closed(cause: Error): void;
}

interface ConnectionParts {
  readonly kernel: Kernel;
  readonly process: SimProcess;
  readonly endpoint: Endpoint;
  readonly listener: ConnectionListener;
  readonly outbound: FaultyChannel;
  readonly inbound: FaultyChannel;
}

type Continuation = 'downgrade' | 'reenter';

interface DatabaseClient {
  query(text: string, values: readonly Argument[]): Promise<{
    readonly rows: readonly Row[];
  }>;
  close(): void;
}

type DeliveryOutcome = {
  readonly delayUs: number;
} | 'drop' | 'reset';

type Detail = () => string;

interface Endpoint {
  readonly name: string;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
}

type EnvMemory = Partial<Pick<SubjectEnv, 'store' | 'link'>>;

interface EventChannel {
  readonly from: string;
  readonly to: string;
}

interface EventLoopOptions {
  readonly maxEvents?: number;
  readonly maxVirtualMs?: number;
  readonly guard?: boolean;
  readonly driver?: Driver | undefined;
}

interface EventOptions {
  readonly owner?: EventOwner | undefined;
  readonly rank?: Rank;
  readonly cause?: number;
}

interface EventOwner {
  readonly readyAtUs: number;
  readonly crashed: boolean;
}

interface Execution {
  readonly node: string;
  readonly client: string;
  readonly label: string;
  readonly args: readonly string[];
}

interface FaultFields {
  readonly client?: true;
  readonly either?: true;
  readonly when?: true;
  readonly label?: true;
  readonly stay?: true;
  readonly way?: readonly string[];
  readonly oneWay?: readonly string[];
  readonly numbers: Readonly<Record<string, Range>>;
}

class FaultyChannel {
  constructor(kernel: Kernel, route: Route, latencyUs: number, outcomeOf: OutcomeOf);
  send(message: OutgoingMessage): boolean;
  sendControl(departUs: number, owner: EventOwner | undefined, arrive: () => boolean): void;
  dropHeld(): void;
}

interface GenerationOptions {
  readonly holdsToTheEnd?: true;
  readonly faultsMax?: number;
  readonly laggingInSix?: number;
}

class HandoverMonitor {
  constructor(run: Run);
  excuse(): void;
  update(): void;
}

class HoldLog {
  request: ClientRequest | undefined;
  readonly promoted: Set<string>;
  readonly storedValues: StoredValue[];
  constructor(options: HoldLogOptions);
  timelinesOf(owner: string): ReadonlyMap<string, readonly HoldStatus[]> | undefined;
  timelinesAt(addresses: readonly (readonly string[])[], owner: string): readonly (readonly (readonly HoldStatus[])[])[];
  note(server: string, key: string, owner: string | undefined, untilMs?: number, isOwn?: boolean): void;
  keepOnly(server: string, kept: ReadonlySet<string>): void;
}

interface HoldLogOptions {
  readonly nowMs: () => number;
  readonly renewals: readonly string[];
  readonly holdOf: (owner: string) => string;
  readonly attemptOf: (owner: string) => number;
}

interface HoldRecord {
  readonly hold: string;
  readonly quorum: number;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

interface HoldState {
  readonly votes: number;
  readonly place?: number | undefined;
  readonly hasExpired: boolean;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
  freeAtMs(clients: readonly SimProcess[]): number;
}

interface HoldStatus {
  readonly atMs: number;
  readonly untilMs: number;
  readonly isOwn: boolean;
  readonly isMade: boolean;
}

class HolderLog {
  constructor(kernel: Kernel);
  get nowMs(): number;
  of(server: string): ServerHolders;
  wrote(server: string, write?: Write): void;
  holdersOf(lock: LockKey): readonly ServerHold[];
  clientBehind(): string | undefined;
}

class IdleKeyMonitor {
  constructor(nowMs: () => number, healthy: readonly ScheduledClient[], onEnd?: (period: IdlePeriod) => void);
  update(): void;
  get longest(): IdlePeriod;
  takeLongest(): IdlePeriod;
}

interface IdlePeriod {
  readonly ms: number;
  readonly waiting: readonly string[];
}

class InjectionLog {
  constructor(nowMs: () => number);
  get all(): readonly Injection[];
  get effective(): boolean;
  add({ kind, fault, actors }: Pick<Injection, 'kind' | 'fault' | 'actors'>, ms: number, isRelevant: IsRelevant): void;
  update(): void;
}

type IsRelevant = () => boolean;

class Kernel {
  readonly trace: Trace;
  constructor(trace: boolean, queue?: Queue);
  get nowUs(): number;
  get cause(): number;
  get ran(): number;
  get next(): SimEvent | undefined;
  schedule(atUs: number, run: () => boolean, { owner, rank, cause }?: EventOptions, channel?: EventChannel): SimEvent;
  deliver(atUs: number, run: () => boolean, channel: EventChannel, owner: EventOwner | undefined, cause: number): SimEvent;
  run(event: SimEvent): boolean;
  postpone(): void;
  idleUntil(atUs: number): void;
  record(process: string, kind: string, label?: string, departUs?: number, more?: RecordDetails, cause?: number): number;
  begin(process: string, kind: string, label?: string, more?: RecordDetails): void;
}

class KeyChangeWatch {
  readonly all: KeyChange[];
  constructor({ labels, nowMs, executed }: KeyChangeWatchOptions);
  execute(execution: Execution, engine: RedisEngine): EngineReply;
  wrote(client: string, [command, key, value]: readonly string[]): void;
}

interface KeyChangeWatchOptions {
  readonly labels: readonly string[];
  readonly nowMs: () => number;
  readonly executed?: ((execution: Execution, engine: RedisEngine) => void) | undefined;
}

class KeyFreedRecorder {
  readonly all: KeyFreed[];
  constructor(run: Run);
  get isOver(): boolean;
  watch(hold: string, owner: string): void;
  check(): void;
}

interface KnownReplica {
  readonly acknowledged: number | undefined;
  requestAcknowledgement(): void;
}

type LeftoverMoment = 'quit' | 'rest' | 'closed';

interface LeftoverOptions {
  readonly members: readonly Member[];
  readonly processes: readonly SimProcess[];
  readonly keeps?: ((key: string) => boolean) | undefined;
}

interface LinkServer extends Endpoint {
  readonly program: Pick<ServerRun, 'serve' | 'subscribe' | 'unsubscribe'>;
}

interface LockKey {
  readonly key: string;
  readonly tokens: ReadonlySet<string>;
}

interface Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly incarnation: number;
  started(process: SimProcess): void;
}

interface MasterConfig {
  readonly host: string;
  readonly epoch: number;
}

interface Member {
  readonly name: string;
  readonly isUp: boolean;
  readonly readyAtUs: number;
  stop(ms: number): void;
  crash(): void;
  restart(how: RestartOptions): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, run: () => void): void;
}

interface MinimiseOptions {
  readonly seed?: number;
  readonly playsMax?: number;
  readonly numbers?: boolean;
}

interface Observations {
  readonly touches: readonly KeyChange[];
  readonly storedValues: readonly StoredValue[];
  readonly hasPromoted: boolean;
  readonly hasLostUnreplicated: boolean;
}

interface OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  readonly calls: ClientCalls;
  readonly waitLog: WaitLog | undefined;
  readonly isClosing: boolean;
  waiting: number;
  holding: number;
  accepted: number;
  readonly holds: Map<string, Hold>;
  readonly droppedLeases: Set<Lease>;
  shutDown(): void;
}

type OutcomeOf = (route: Route, way: MessageKind, label: string) => DeliveryOutcome;

interface OutgoingMessage {
  readonly way: MessageKind;
  readonly label: string;
  readonly departUs: number;
  readonly owner?: EventOwner | undefined;
  readonly cause: number;
  readonly arrive: () => boolean;
  readonly broken: () => void;
  readonly detail?: (() => string) | undefined;
}

interface Ports {
  readonly openSession: OpenSession;
  readonly etcd: EtcdClient;
  readonly database: PostgresDatabase;
  readonly openClient: () => Promise<DatabaseClient>;
  readonly sessionTtlMs: number;
}

interface PreviousValue {
  readonly value: string;
  readonly expiresAtMs: number;
}

interface Queue {
  push(event: SimEvent): void;
  peek(): SimEvent | undefined;
  pop(): SimEvent | undefined;
}

interface QueueTicket {
  readonly hold: string;
  readonly zxid: number;
}

const RANK: {
  readonly harness: 0;
  readonly act: 1;
  readonly goal: 2;
};

interface Range {
  readonly min: number;
  readonly max: number;
  readonly benign: number;
  readonly inUs?: true;
}

type Rank = (typeof RANK)[keyof typeof RANK];

type RecordDetails = Pick<TraceRecord, 'to' | 'detail'>;

class RedisHash {
  readonly fields: Map<string, string>;
}

class RedisList {
  items: string[];
}

class RedisSet {
  readonly members: Set<string>;
}

class RedisSortedSet {
  readonly scores: Map<string, number>;
}

interface RefusalRecord {
  readonly hold: string;
  readonly attempts: readonly AttemptRecord[];
  readonly withdrawn?: WithdrawalRecord;
  readonly leftMs?: number;
  readonly isAnswered?: boolean;
  readonly isQueue: boolean;
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

interface ReplicaSnapshot {
  readonly data: EngineSnapshot;
  readonly holders: ReadonlyMap<string, string> | undefined;
}

class Resource {
  refused: number;
  constructor(recorder: Recorder);
  read(token: bigint | undefined): ResourceReading;
  write(hold: Hold, reading: ResourceReading, token: bigint | undefined): void;
}

interface ResourceReading {
  readonly open: number;
  readonly fenced: number | undefined;
}

class Route {
  readonly from: string;
  readonly to: string;
  constructor(from: string, to: string);
  count(way: MessageKind, label: string): number;
  get wasCut(): boolean;
  cut(atUs: number): (healUs: number) => void;
  opensAt(atUs: number): number;
  onOpen(run: () => void): void;
}

class Run {
  readonly schedule: Schedule;
  readonly subject: Subject;
  readonly faults: FaultRegistry;
  readonly world: World;
  readonly recorder: Recorder;
  readonly resource: Resource;
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
  readonly injections: InjectionLog;
  readonly cluster: Cluster;
  readonly clients: Map<ClientId, ScheduledClient>;
  readonly delays: ((client: ClientId, label: string) => Record<Way, number>)[];
  readonly violations: string[];
  readonly owners: Map<string, string>;
  readonly sometimes: Set<Sometimes>;
  areFaultsOver: boolean;
  repointedUntilMs: number;
  keyIdle: IdleKeyMonitor | undefined;
  handoverMonitor: HandoverMonitor | undefined;
  keyFreed: KeyFreedRecorder | undefined;
  fromMs: number;
  readonly allDone: Promise<void>;
  constructor(schedule: Schedule, subject: Subject, parts: RunParts, options: WorldOptions);
  envOf(process: SimProcess, link: MemoryLink, waits?: WaitLog): ClientEnv;
  callDelays(client: ClientId, label: string): Record<Way, number>;
  server(name: string): Member | undefined;
  labelsOf(label: string): readonly string[];
  atScheduleTime(ms: number, run: () => void): void;
  clientChanged(): void;
  recordKeyFreed(): () => void;
  recordGrant(hold: string, owner: string): void;
  reportViolation(text: string): void;
  isContended(except?: readonly ClientId[]): boolean;
  isContendedHolder(id: ClientId): boolean;
  isContendedWaiter(id: ClientId): boolean;
}

interface RunContext {
  readonly name: string;
  readonly kernel: Kernel;
  readonly anchors: Anchors;
  readonly storage: Storage;
  readonly runId: string;
  readonly wallUs: () => number;
  readonly keyChanges?: KeyChangeWatch | undefined;
  readonly holds?: HoldLog | undefined;
  readonly slots?: SlotGuard | undefined;
}

interface RunParts {
  readonly faults: FaultRegistry;
  readonly clusterOf: ClusterOf;
}

class ScheduledClient implements OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  readonly isNewcomer: boolean;
  ops: number;
  opsLeft: number;
  opsActive: number;
  waiting: number;
  holding: number;
  accepted: number;
  waitLog: WaitLog | undefined;
  readonly calls: ClientCalls;
  readonly holds: Map<string, Hold>;
  readonly droppedLeases: Set<Lease>;
  constructor(id: ClientId, run: Run);
  get isClosing(): boolean;
  get isAlive(): boolean;
  get isDone(): boolean;
  get isLocked(): boolean;
  open(): Promise<void>;
  start(op: Op): void;
  acquireOnce(holdMs: number, signal?: AbortSignal): Promise<void>;
  close(timeoutMs: number): Promise<void>;
  shutDown(): void;
  collect(): void;
}

interface ServerHold {
  readonly server: string;
  readonly client: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  readonly by?: string | undefined;
}

class ServerHolders {
  constructor(server: string, log: HolderLog);
  get now(): ReadonlyMap<string, string>;
  on(key: string): readonly ServerHold[];
  wrote([command, ...args]: readonly string[]): void;
  expired(key: string): void;
  died(): void;
  loaded({ entries }: EngineSnapshot, known: ReadonlyMap<string, string> | undefined): void;
}

interface ServerKind {
  readonly cluster: (world: World, schedule: Schedule, subject: Subject) => Cluster;
  readonly load?: () => Promise<void>;
  readonly isEnsemble?: true;
  readonly size: number;
  readonly view: (view: Omit<SubjectEnv, 'store' | 'link'>) => Readonly<Record<string, unknown>>;
}

class ServerRun implements EventOwner {
  readonly engine: RedisEngine;
  readyAtUs: number;
  crashed: boolean;
  constructor(machine: RunContext);
  get isConnected(): boolean;
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  serve(connection: Connection, label: string, args: readonly string[], replied: (reply: EngineReply) => void, asking?: boolean): void;
  subscribe(connection: Connection, channel: string, heard: (text: string) => void, replied: (reply: EngineReply) => void, ended?: () => void): void;
  slotsMoved(): void;
  subscriptions(matches: (connection: Connection) => boolean): number;
  unsubscribe(connection: Connection, channel: string): void;
}

interface Servers {
  readonly isEnsemble: boolean;
}

interface SimEvent {
  atUs: number;
  readonly rank: Rank;
  readonly dueUs: number;
  readonly seq: number;
  readonly owner: EventOwner | undefined;
  readonly channel: EventChannel | undefined;
  readonly cause: number;
  readonly run: () => boolean;
  cancelled: boolean;
}

interface SlotView {
  owner: string;
  replica: string | undefined;
  migratingTo: string | undefined;
  isImporting: boolean;
  isDown: boolean;
}

interface Steered {
  readonly played: PlayResult;
  readonly isWhole: boolean;
  readonly endState: string;
}

class Storage {
  offset: number;
  readonly replicas: Set<KnownReplica>;
  waits: {
    acknowledged(): void;
  } | undefined;
  constructor(name: string, kernel: Kernel, clock: Clock, { holds, holders }?: StorageObservers);
  listen(listener: StorageListener): () => void;
  fill(engine: RedisEngine): void;
  started(): void;
  replicasAt(offset: number): number;
  requestAcknowledgements(): void;
  wrote(effect: readonly string[]): void;
  published(effect: readonly string[]): void;
  traceExpiries(): void;
  clockChanged(): void;
  died(): void;
  lose({ data, lost }: RestartOptions): void;
  become(role: RedisEngine['role']): void;
  apply(effect: readonly string[]): void;
  applyPublication(effect: readonly string[]): void;
  copy(): ReplicaSnapshot;
  load({ data, holders }: ReplicaSnapshot): void;
}

interface StorageListener {
  readonly wrote: (effect: readonly string[]) => void;
  readonly published: (effect: readonly string[]) => void;
  readonly started: () => void;
}

interface StorageObservers {
  readonly holds?: HoldLog | undefined;
  readonly holders?: HolderLog | undefined;
}

interface StoreKeeper {
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
}

interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

interface StoredValue {
  readonly server: string;
  readonly key: string;
  readonly owner: string;
  readonly atMs: number;
  readonly untilMs: number;
  toMs: number;
  readonly isFromClient: boolean;
}

type Value = string | RedisHash | RedisSet | RedisList | RedisSortedSet;

class WaitLog {
  readonly refused: WaitRecord[];
  constructor(process: SimProcess, ttlMs: number | undefined);
  runtime(runtime: Runtime): Runtime;
  duringAcquire<T>(hold: string, acquire: () => Promise<T>): Promise<T>;
  noteLateGrant(contender: string): void;
  noteRefusal(hold: string, error: unknown): void;
  backend(backend: Backend): Backend;
  view({ nodes, database, ...rest }: ClientView): ClientView;
  link(link: MemoryLink): MemoryLink;
}

interface WaitRecord {
  readonly hold: string;
  readonly contenders: string[];
  readonly attempts: AttemptRecord[];
  withdrawn?: WithdrawalRecord;
  endedMs: number;
  leftMs?: number;
  isAnswered?: boolean;
}

type Way = 'request' | 'reply';

interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: Withdrawal['kind'];
}

interface Write {
  readonly key: string;
  readonly value: string;
}

// ========== @holdfast/harness/stores ==========

class PostgresEngine {
  readonly advisoryLocks: AdvisoryLocks;
  isStandby: boolean;
  constructor(options: EngineOptions);
  start(statement: ReturnType<typeof parse>[number], call: StatementCall): Running;
  setting(name: string): string | undefined;
  execute({ statement, args }: BoundStatement): readonly Row[];
  apply(changes: readonly LoggedChange[]): readonly RowChange[];
  changesOf(transaction: Transaction): readonly RowChange[];
  row(table: string, ...key: readonly string[]): RowValues | undefined;
  contents(): readonly (LoggedChange & {
    readonly values: RowValues;
  })[];
}

class SimEtcd {
  readonly servers: readonly SimEtcdServer[];
  constructor(world: World, network: Network, options?: SimEtcdOptions);
  get leader(): SimEtcdServer | undefined;
  compact(): void;
}

class SimEtcdClient implements EtcdClient {
  constructor(process: SimProcess, servers: readonly SimEtcdServer[], network: Network, first?: number);
  get address(): string;
  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted>;
  revoke(id: bigint, deadlineMs: number): Promise<Answered>;
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive>;
  range(read: ReadOp, deadlineMs: number): Promise<RangeReply>;
  txn(txn: Txn, deadlineMs: number): Promise<TxnReply>;
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void;
  status(deadlineMs: number): Promise<readonly ServerStatus[]>;
  close(): void;
}

interface SimEtcdOptions {
  readonly size?: number | undefined;
  readonly prefix?: string | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly electionMs?: number | undefined;
  readonly lagMs?: number | undefined;
  readonly checkpointMs?: number | undefined;
  readonly compactMs?: number | undefined;
  readonly revokesUnasked?: boolean | undefined;
  readonly firstRevision?: bigint | undefined;
  readonly luck?: string | undefined;
  readonly observer?: EnsembleObserver | undefined;
}

class SimEtcdServer implements Endpoint, EnsembleMember, Member {
  readonly id: number;
  readonly name: string;
  readonly log: DurableLog;
  readonly clock: Clock;
  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string);
  get program(): Program;
  get readyAtUs(): number;
  get isUp(): boolean;
  get leads(): boolean;
  get store(): EtcdStore;
  wallAt(atMs: number): number;
  watchedBy(process: SimProcess): readonly string[];
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options?: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

class SimPostgresServer implements Endpoint, Member {
  readonly name: string;
  readonly storage: Storage;
  constructor(world: World, name: string, options: SimPostgresServerOptions);
  get engine(): PostgresEngine;
  get program(): EventOwner;
  get isUp(): boolean;
  get readyAtUs(): number;
  get wallUs(): number;
  whenWall(us: number): number;
  serverFor(): this;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  serve(connection: Connection, message: Message, replied: (outcome: MessageOutcome) => void, heard: Heard): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  sessions(which: (connection: Connection) => boolean): number;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
  put(table: string, values: RowValues, ...key: readonly string[]): void;
  load(copy: StandbyCopy): void;
}

interface SimSessionOptions {
  readonly timeoutMs?: number;
  readonly servers?: readonly SimZooKeeperServer[];
  readonly identity?: string;
  readonly opened?: (session: ZooKeeperSession) => void;
  readonly openSessions?: typeof openSessions | undefined;
}

interface SimZnode {
  readonly data: string;
  readonly czxid: bigint;
  readonly ephemeralOwner: bigint;
}

class SimZooKeeper {
  readonly servers: readonly SimZooKeeperServer[];
  constructor(world: World, network: Network, options?: SimZooKeeperOptions);
  watch(applied: AppliedListener): void;
  get leader(): SimZooKeeperServer | undefined;
  get followers(): readonly SimZooKeeperServer[];
}

interface SimZooKeeperOptions {
  readonly size?: number;
  readonly prefix?: string;
  readonly tickMs?: number;
  readonly syncLimit?: number;
  readonly minSessionMs?: number;
  readonly maxSessionMs?: number;
  readonly electionMs?: number;
  readonly containerCheckMs?: number;
  readonly lagMs?: number;
  readonly holds?: HoldLog;
}

class SimZooKeeperServer implements Endpoint, EnsembleMember {
  readonly id: number;
  readonly name: string;
  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string);
  get program(): Program;
  get readyAtUs(): number;
  get log(): readonly Transaction[];
  get isUp(): boolean;
  get role(): 'looking' | 'following' | 'leading' | 'down';
  get isServing(): boolean;
  wallAt(atMs: number): number;
  paths(): readonly string[];
  hasPath(isSuch: (path: string) => boolean): boolean;
  find(path: string): SimZnode | undefined;
  get watches(): number;
  watchedBy(process: SimProcess): readonly string[];
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  lag(ms: number): void;
  reapContainers(): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

// loadSqlParser:
function loadParser(): Promise<void>;

function simOpenSession(process: SimProcess, ensemble: SimZooKeeper, network: Network, options?: SimSessionOptions): OpenSession;

function simPostgresClient(process: SimProcess, address: PostgresAddress, network: Network): Promise<DatabaseClient>;

function simPostgresDatabase(process: SimProcess, address: PostgresAddress, network: Network, { connections, client: { Database, SessionPool } }?: SimDatabaseOptions): PostgresDatabase;

// ----- without a name of its own in @holdfast/harness/stores -----

interface Acknowledgement {
  readonly from: number;
  readonly term: number;
  readonly isRejected: boolean;
  readonly last: number;
  readonly counts: boolean;
}

class AdvisoryLocks {
  records: AdvisoryRecords | undefined;
  sessions: SilentSessions | undefined;
  tryLock(key: string, pid: number, owner?: string): boolean;
  unlock(key: string, pid: number): boolean;
  ended(pid: number): void;
  get holds(): readonly {
    readonly key: string;
    readonly owner: string | undefined;
  }[];
}

interface AdvisoryRecords {
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void;
}

interface Append {
  readonly term: number;
  readonly leader: number;
  readonly previous: number;
  readonly previousTerm: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
}

type AppliedListener = (server: string, tree: Tree | undefined, entry: Transaction | undefined) => void;

interface AuthRequest {
  readonly kind: 'auth';
  readonly identity: string;
}

type Change = {
  readonly kind: 'create';
  readonly path: string;
  readonly data: string;
  readonly owner: ServerSession | undefined;
  readonly isContainer: boolean;
  readonly acl: NodeAcl | undefined;
} | {
  readonly kind: 'delete';
  readonly path: string;
} | {
  readonly kind: 'setData';
  readonly path: string;
  readonly data: string;
} | {
  readonly kind: 'createSession';
  readonly session: ServerSession;
} | {
  readonly kind: 'closeSession';
  readonly session: ServerSession;
  readonly paths: readonly string[];
}
 | {
  readonly kind: 'refused';
};

class ClientConnections {
  constructor(program: Program);
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  serve(connection: Connection, label: string, run: (link: ClientLink) => void): void;
  endWatches(): void;
  watchedBy(process: SimProcess): readonly string[];
}

class ClientConnections {
  constructor(program: Program);
  connected(connection: Connection): void;
  disconnected(connection: Connection): boolean;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  connect(connection: Connection, request: ConnectRequest, receive: (frame: Uint8Array) => void): void;
  serve(connection: Connection, numbered: NumberedRequest): void;
  dismiss(session: ServerSession): void;
  watchedBy(process: SimProcess): readonly string[];
}

class ClientLink {
  readonly connection: Connection;
  constructor(program: Program, connection: Connection);
  get watched(): readonly string[];
  grant({ id, ttlSeconds }: LeaseRequest, reply: Reply<FieldsOf<Granted>>): void;
  revoke(id: bigint, reply: Reply<object>): void;
  range(read: ReadOp, reply: Reply<FieldsOf<RangeReply>>): void;
  txn(txn: Txn, label: string, reply: Reply<FieldsOf<TxnReply>>): void;
  keepAlive(id: bigint, reply: Reply<FieldsOf<KeptAlive>>): void;
  settings(ready: () => void): void;
  status(reply: Reply<FieldsOf<MemberStatus>>): void;
  watch(key: string, fromRevision: bigint, listener: WatchListener): (() => void) | undefined;
  endWatches(): void;
  disconnected(): void;
}

class ClientLink {
  readonly program: Program;
  readonly connection: Connection;
  readonly watched: Set<string>;
  identities: Identities;
  session: ServerSession | undefined;
  receive: (frame: Uint8Array) => void;
  constructor(program: Program, connection: Connection);
  replyConnect(session: ServerSession | undefined): void;
  take(session: ServerSession, numbered: NumberedRequest): void;
  drain(): void;
  notify(change: WatchedChange, path: string): void;
  abort(reason: string): void;
  disconnected(): void;
}

interface ClientRequest {
  readonly client: string;
  readonly label: string;
  readonly args: readonly Value[];
}

type Command =
{
  readonly kind: 'term';
} | {
  readonly kind: 'grant';
  readonly id: bigint;
  readonly ttlMs: number;
} | {
  readonly kind: 'revoke';
  readonly id: bigint;
}
 | {
  readonly kind: 'checkpoint';
  readonly id: bigint;
  readonly leftMs: number;
} | {
  readonly kind: 'txn';
  readonly txn: Txn;
} | {
  readonly kind: 'compact';
};

type Command = {
  readonly type: 'listen';
  readonly channel: string;
} | {
  readonly type: 'isolation';
  readonly level: string;
} | {
  readonly type: 'set local';
  readonly name: string;
  readonly value: string;
};

interface ConnectRequest {
  readonly sessionId: bigint;
  readonly password: Uint8Array;
  readonly timeoutMs: number;
  readonly zxid: number;
}

class Disk implements EventOwner {
  constructor(program: Program);
  get readyAtUs(): number;
  get crashed(): boolean;
  stallUntil(atUs: number): void;
}

class DurableLog {
  readonly entries: Entry[];
  term: number;
  vote: number;
  commit: number;
  isDamaged: boolean;
  get last(): number;
  get lastTerm(): number;
  termAt(index: number): number;
  write(index: number, entries: readonly Entry[]): number;
  lose({ data, lost }: RestartOptions): void;
}

class DurableState {
  log: Transaction[];
  epoch: number;
  get lastZxid(): number;
  lose({ data, lost }: RestartOptions): void;
  adopt(log: readonly Transaction[], epoch: number): number;
}

class Election {
  constructor(raft: Raft);
  begin(): void;
  voted(from: number, term: number, isTrial: boolean): void;
}

interface EngineOptions {
  readonly nowUs: () => number;
  readonly schema: string;
  readonly settings?: Readonly<Record<string, string>>;
}

interface EngineSession {
  readonly pid: number;
  readonly local?: ReadonlyMap<string, string>;
  readonly settings?: Map<string, string>;
}

interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  readonly quorum: number;
  readonly isDamaged: boolean;
  readonly observer: EnsembleObserver | undefined;
}

interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  readonly quorum: number;
  newSession(server: number, timeoutMs: number): ServerSession;
  sessionOf(id: bigint, password: Uint8Array): ServerSession | undefined;
  connections: number;
  wake(): void;
  applied?: AppliedListener | undefined;
  holds?: LeaderHolds | undefined;
}

interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  readonly program: Program;
}

interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  readonly program: Program;
}

interface EnsembleObserver {
  applied(program: Program, entry: Entry, result: EntryResult): void;
  leads(program: Program): void;
  extended(program: Program, lease: bigint, untilUs: number): void;
  replaced(program: Program): void;
}

interface EnsembleSettings {
  readonly heartbeatMs: number;
  readonly electionMs: number;
  readonly lagMs: number;
  readonly checkpointMs: number | undefined;
  readonly compactMs: number | undefined;
  readonly revokesUnasked: boolean;
  readonly firstRevision: bigint | undefined;
  readonly luck: string;
}

interface EnsembleSettings {
  readonly tickMs: number;
  readonly syncLimit: number;
  readonly minSessionMs: number;
  readonly maxSessionMs: number;
  readonly electionMs: number;
  readonly containerCheckMs: number;
  readonly lagMs: number;
}

class Entry implements Proposal {
  readonly term: number;
  readonly command: Command;
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;
  constructor(term: number, { command, client, waiter }: Proposal);
}

type EntryResult = StoreReply | EtcdReplyError;

interface EntryWaiter {
  readonly origin: object;
  readonly isWanted: () => boolean;
  applied(result: EntryResult): void;
}

class EtcdStore {
  readonly leases: Leases;
  constructor(firstRevision?: bigint);
  get revision(): bigint;
  get watches(): number;
  apply(command: Command): StoreReply;
  get(key: string): StoredKey | undefined;
  get keys(): readonly StoredKey[];
  revoke(id: bigint): void;
  range(read: ReadOp): StoreReply;
  txn({ compare, success, failure }: Txn): StoreReply;
  isCompacted(fromRevision: bigint): boolean;
  watch(key: string, fromRevision: bigint, deleted: () => void): () => void;
  compact(): void;
}

type FieldsOf<T extends Answered> = Omit<T, 'header' | 'sentAt'>;

class Following implements Role {
  readonly name = "following";
  isServing: boolean;
  readonly tracked = 0;
  constructor(program: Program, leader: Program);
  begin(): void;
  beginInStep(epoch: number): PeerLink;
  heard(): void;
  receiveLog(log: readonly Transaction[], epoch: number): void;
  serve(count: number): void;
  proposed(entry: Transaction, index: number): void;
  committed(count: number): void;
  synced(path: string, waiter: Waiter): void;
  pinged(): void;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  lost(reason: string): void;
  wake(): void;
  pausePings(): void;
  resumePings(): void;
  end(): void;
}

type Heard = (channel: string, payload: string) => void;

interface Heartbeat {
  readonly term: number;
  readonly leader: number;
  readonly commit: number;
  readonly read: number;
}

class HoldRecords {
  constructor(name: string, parts: HoldRecordsParts);
  changed(changes: readonly RowChange[], request: ClientRequest): void;
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void;
  all(rows: readonly RowChange[], advisory: readonly string[]): void;
  died(): void;
  clear(): void;
  promoted(): void;
}

interface HoldRecordsParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: HoldLog;
  readonly holders: ServerHolders | undefined;
  readonly touches: TouchWatch;
  readonly queue: QueueParts | undefined;
}

type Identities = readonly string[];

class LeaderHolds {
  constructor(holds: HoldLog);
  applied(program: Program, { change, waiter }: Transaction): void;
  tracked(program: Program, session: ServerSession, expiresUs: number): void;
  leads(program: Program): void;
}

class Leadership {
  constructor(raft: Raft);
  begin(): void;
  end(): void;
  append(proposal: Proposal): void;
  confirm(run: (index: number) => void): void;
  acknowledged({ from, term, isRejected, last, counts }: Acknowledgement): void;
  isAlive(from: number, term: number, { read, last }: {
    readonly read: number;
    readonly last: number;
  }): void;
}

class Leading implements Role {
  readonly name = "leading";
  constructor(program: Program);
  get isServing(): boolean;
  get tracked(): number;
  begin(): void;
  beginInStep(links: readonly PeerLink[], epoch: number): void;
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void;
  heard(link: PeerLink): void;
  disconnected(link: PeerLink): void;
  acknowledged(link: PeerLink, count: number): void;
  touched(sessions: Iterable<ServerSession>): void;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  forwarded(link: PeerLink, session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter, server?: string): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  revalidateAt(session: ServerSession, server: string): boolean;
  wake(): void;
  end(): void;
  reap(): void;
}

class Leases {
  get ids(): Iterable<bigint>;
  get(id: bigint): StoredLease | undefined;
  grant(id: bigint, ttlMs: number): void;
  checkpoint(id: bigint, leftMs: number): void;
  check(id: bigint): void;
  end(id: bigint): ReadonlySet<string>;
  move(key: string, from: bigint, to: bigint): void;
}

class Lessor {
  constructor(program: Program);
  get leads(): boolean;
  promote(): void;
  demote(): void;
  granted(id: bigint): void;
  revoked(id: bigint): void;
  renew(id: bigint, done: (renewal: Renewal) => void): void;
}

type LockMode = 'key share' | 'share' | 'no key update' | 'update';

interface LoggedChange {
  readonly table: string;
  readonly id: string;
  readonly values: RowValues | undefined;
}

interface MachineContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly log: DurableLog;
  readonly ensemble: EnsembleContext;
}

interface MemberStatus extends Answered {
  readonly version: string;
  readonly hasLeader: boolean;
}

interface Message {
  readonly label: string;
  readonly statements: readonly Parsed[];
  readonly args: readonly Argument[];
}

type MessageOutcome = {
  readonly rows: readonly Row[];
  readonly warning?: string | undefined;
} | {
  readonly error: SqlError;
};

interface NodeAcl {
  readonly entries: readonly Acl[];
  readonly creators: Identities;
}

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

interface NumberedRequest {
  readonly xid: number;
  readonly request: Request;
}

type Parsed = Statement | Command;

class PeerLink {
  readonly follower: Program;
  readonly leader: Program;
  readonly following: Following;
  leading: Leading | undefined;
  heardUs: number;
  epoch: number;
  acked: number;
  isLogSent: boolean;
  isSynced: boolean;
  constructor(following: Following, follower: Program, leader: Program);
  toLeader(label: string, run: (leading: Leading) => void): void;
  requestToFollow(run: () => void): void;
  toFollower(label: string, run: (following: Following) => void): void;
  closeAtLeader(): void;
  closeAtFollower(): void;
  break(): void;
}

class Peers {
  readonly others: readonly EnsembleMember[];
  constructor(program: Program);
  named(id: number): EnsembleMember | undefined;
  toAll(label: string, run: (there: Program) => void): void;
  to(member: EnsembleMember, label: string, run: (there: Program) => void, needsDisk?: boolean): void;
}

interface PendingFollower {
  readonly link: PeerLink;
  readonly epoch: number;
  readonly zxid: number;
}

class PlaceLog {
  ticketOf(owner: string): number | undefined;
  executed(server: string, { waiting, holding, hasLeft }: ServerQueue): void;
}

interface PostgresAddress {
  readonly name: string;
  serverFor(process: SimProcess): SimPostgresServer;
}

class Program implements EventOwner {
  readonly machine: MachineContext;
  readonly peers: Peers;
  readonly raft: Raft;
  readonly lessor: Lessor;
  readonly clients: ClientConnections;
  store: EtcdStore;
  readyAtUs: number;
  readonly disk: Disk;
  crashed: boolean;
  lagMs: number;
  constructor(machine: MachineContext, run: number);
  get settings(): EnsembleSettings;
  get quorum(): number;
  get monotonicUs(): number;
  get departUs(): number;
  get header(): Header;
  pauseUntil(atUs: number): void;
  withDisk(run: () => void): void;
  after(ms: number, run: () => void, owner?: EventOwner): void;
  note(kind: string, label?: string): void;
  propose(command: Command, applied?: () => void): void;
  linearizable(isWanted: () => boolean, run: () => void): void;
  confirmLeadership(run: () => void): void;
  committed(): void;
  leaderChanged(): void;
  forgetBeyond(count: number): void;
  end(): void;
}

class Program implements EventOwner {
  readonly machine: ServerContext;
  readonly watchers: Watchers;
  readonly clients: ClientConnections;
  tree: Tree;
  role: Role;
  zxid: number;
  lagMs: number;
  readyAtUs: number;
  crashed: boolean;
  constructor(machine: ServerContext);
  get settings(): EnsembleSettings;
  get quorum(): number;
  get self(): EnsembleMember;
  get others(): readonly EnsembleMember[];
  get connectTimeoutMs(): number;
  get monotonicUs(): number;
  get departUs(): number;
  get isIdle(): boolean;
  at(monotonicUs: number, run: () => void): SimEvent;
  after(ms: number, run: () => void): SimEvent;
  note(kind: string, label?: string): void;
  startElection(reason: string): void;
  follow(leader: EnsembleMember): void;
  lead(pending: readonly PendingFollower[]): void;
  assignRole(role: Role): void;
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void;
  receiveVote(vote: {
    readonly id: number;
    readonly epoch: number;
    readonly zxid: number;
  }, from: EnsembleMember, isReply: boolean): void;
  send(label: string, to: EnsembleMember, run: (there: Program) => void): void;
  reap(): void;
  applyUpTo(count: number): void;
  forgetBeyond(count: number): void;
}

interface Proposal {
  readonly command: Command;
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;
}

interface QueueParts {
  readonly places: PlaceLog;
  readonly waiterOf: NonNullable<Subject['waiterOf']>;
}

class Raft {
  readonly program: Program;
  readonly log: DurableLog;
  leader: number;
  leadership: Leadership | undefined;
  election: Election | undefined;
  constructor(program: Program, run: number);
  begin(): void;
  beginInTerm(term: number, leader: number): void;
  get leads(): boolean;
  get quorum(): number;
  propose(proposal: Proposal): void;
  readIndex(isWanted: () => boolean, run: (index: number) => void): void;
  appended(append: Append): void;
  heartbeat(beat: Heartbeat): void;
  outdated(term: number): void;
  get hearsLeader(): boolean;
  follow(): void;
  lead(): void;
  voteIn(term: number, candidate: number): void;
  end(): void;
  campaign(): void;
}

type ReadRequest = {
  readonly kind: 'read' | 'list' | 'existsWatch' | 'removeWatch';
  readonly path: string;
} | {
  readonly kind: 'ping';
} | SetWatches;

type Renewal = {
  readonly ttlMs: number;
} | 'unknown' | 'no leader';

type Reply<Fields> = (reply: (Fields & {
  readonly header: Header;
}) | Error) => void;

type Request = WriteRequest | ReadRequest | SyncRequest | AuthRequest;

interface Role {
  readonly name: 'looking' | 'following' | 'leading';
  readonly isServing: boolean;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  wake(): void;
  readonly tracked: number;
  end(): void;
}

interface RowChange {
  readonly table: string;
  readonly id: string;
  readonly before: RowValues | undefined;
  readonly after: RowValues | undefined;
}

type RowValues = Readonly<Record<string, Value>>;

type Running = Generator<Transaction, readonly RowValues[], void>;

interface ServerContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly storage: DurableState;
  readonly ensemble: EnsembleContext;
}

interface ServerQueue {
  readonly waiting: ReadonlyMap<string, number>;
  readonly holding: readonly string[];
  readonly hasLeft?: (contender: string) => boolean;
}

class ServerSession {
  readonly id: bigint;
  readonly timeoutMs: number;
  readonly password: Uint8Array;
  constructor(id: bigint, timeoutMs: number);
  isProvenBy(password: Uint8Array): boolean;
}

interface SetWatches {
  readonly kind: 'setWatches';
  readonly there: readonly string[];
  readonly missing: readonly string[];
  readonly zxid: number;
}

interface SharedRecords {
  readonly log: HoldLog;
  readonly holders: HolderLog | undefined;
  readonly touches: TouchWatch;
  readonly queue: QueueParts | undefined;
}

interface SilentSessions {
  isGivenUp(pid: number): boolean;
}

interface SimDatabaseOptions {
  readonly connections?: number;
  readonly client?: typeof shipped | undefined;
}

interface SimPostgresServerOptions {
  readonly schema: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly wallOffsetMs?: number;
  readonly isPooled?: boolean;
  readonly records?: SharedRecords;
}

class SqlError extends Error {
  readonly name = "SqlError";
  readonly code: string;
  constructor(code: string, message: string);
}

interface StandbyCopy {
  readonly contents: readonly LoggedChange[];
  readonly position: number;
}

interface StatementCall {
  readonly session: EngineSession;
  readonly transaction: Transaction;
  readonly messageUs: number;
  readonly args: readonly Value[];
}

class Storage {
  constructor(holds: HoldRecords | undefined);
  get isStandby(): boolean;
  get position(): number;
  listen(listener: StorageListener): () => void;
  fillMemory(engine: PostgresEngine): void;
  started(): void;
  died(): void;
  lose({ data, lost }: RestartOptions): void;
  commit(transaction: Transaction, request: ClientRequest, done: (notifications: readonly Notification[], warning?: string) => void): void;
  acknowledged(position: number): void;
  cancelWaits(): void;
  become(role: 'primary' | 'standby'): void;
  clockChanged(): void;
  apply(changes: readonly LoggedChange[], position: number): void;
  copy(): StandbyCopy;
  replace({ contents, position }: StandbyCopy): void;
}

interface StorageListener {
  readonly logged: (changes: readonly LoggedChange[], position: number) => void;
  readonly started: () => void;
}

interface StoreReply {
  readonly succeeded: boolean;
  readonly reads: readonly (readonly StoredKey[])[];
  readonly count: bigint;
}

interface StoredLease {
  readonly ttlMs: number;
  readonly keys: ReadonlySet<string>;
  readonly leftMs: number;
}

class StoredRow {
  readonly table: Table;
  readonly id: string;
  committed: RowValues | undefined;
  constructor(table: Table, id: string, committed?: RowValues);
  seenBy(transaction: Transaction | undefined): RowValues | undefined;
  blockerOf(transaction: Transaction, mode: LockMode): Transaction | undefined;
  lock(transaction: Transaction, mode: LockMode): void;
  write(transaction: Transaction, values: RowValues | undefined): void;
  changeBy(transaction: Transaction): LoggedChange | undefined;
  end(transaction: Transaction, isCommitted: boolean): void;
}

interface SyncRequest {
  readonly kind: 'sync';
  readonly path: string;
}

class Table {
  readonly shape: TableShape;
  readonly rows: Map<string, StoredRow>;
  readonly indexes: Map<string, readonly string[]>;
  constructor(shape: TableShape);
  isKey(columns: readonly string[]): boolean;
  idOf(values: RowValues): string;
  check(values: RowValues): void;
}

interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly required: ReadonlySet<string>;
  readonly primaryKey: readonly string[];
}

class TouchWatch {
  readonly all: KeyChange[];
  constructor({ labels, nowMs }: TouchWatchOptions);
  writerOf(owner: string): string;
  changed({ id, before, after, node, nowUs, }: RowChange & {
    readonly node: string;
    readonly nowUs: number;
  }, { client, label, args }: ClientRequest): void;
}

interface TouchWatchOptions {
  readonly labels: readonly string[];
  readonly nowMs: () => number;
}

class Transaction {
  readonly startedUs: number;
  readonly notifications: Notification[];
  constructor(startedUs: number);
  get hasEnded(): boolean;
  get hasId(): boolean;
  touches(row: StoredRow): void;
  get changes(): readonly LoggedChange[];
  onEnd(run: () => void): void;
  end(isCommitted: boolean): void;
}

class Transaction {
  readonly zxid: number;
  readonly change: Change;
  readonly reply: ZooKeeperReply;
  readonly waiter: Waiter | undefined;
  constructor(zxid: number, change: Change, reply: ZooKeeperReply, waiter: Waiter | undefined);
}

class Tree {
  get(path: string): Znode | undefined;
  has(session: ServerSession): boolean;
  get sessions(): Iterable<ServerSession>;
  get nodes(): Iterable<[path: string, node: Znode]>;
  ephemeralsOf(session: ServerSession): readonly string[];
  apply(change: Change, zxid: number): void;
}

type Value = string | number | bigint | boolean | null | readonly number[] | readonly string[];

interface Waiter {
  readonly program: EventOwner;
  readonly identities: Identities;
  done(reply: ZooKeeperReply): void;
  refused(): void;
}

type WatchedChange = 'created' | 'deleted' | 'changed';

class Watchers {
  get size(): number;
  add(path: string, link: ClientLink): void;
  fire(change: WatchedChange, path: string, acl: NodeAcl | undefined): void;
  remove(path: string, link: ClientLink): void;
  removeAll(link: ClientLink): void;
}

type WriteRequest = {
  readonly kind: 'create';
  readonly path: string;
  readonly data: string;
  readonly mode: CreateMode;
  readonly acl: readonly Acl[] | undefined;
} | {
  readonly kind: 'delete';
  readonly path: string;
} | {
  readonly kind: 'setData';
  readonly path: string;
  readonly data: string;
  readonly version?: number | undefined;
} | {
  readonly kind: 'close';
};

class Znode {
  data: string;
  readonly czxid: number;
  mzxid: number;
  version: number;
  readonly owner: ServerSession | undefined;
  readonly isContainer: boolean;
  readonly acl: NodeAcl | undefined;
  creates: number;
  constructor(data: string, zxid: number, owner?: ServerSession, isContainer?: boolean, acl?: NodeAcl);
  get children(): ReadonlySet<string>;
  add(child: string): void;
  remove(child: string): void;
}

interface ZooKeeperReply {
  readonly zxid: number;
  readonly code?: ReplyCode | undefined;
  readonly path?: string | undefined;
  readonly data?: string | undefined;
  readonly czxid?: number | undefined;
  readonly owner?: ServerSession | undefined;
  readonly version?: number | undefined;
  readonly children?: readonly string[] | undefined;
}

function parse(text: string): readonly Parsed[];
