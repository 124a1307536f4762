/** The plate story without a disk, a radio or a clock that runs: a car park whose store and products do as they are told. */
import { type AccessRules, createAccessRules } from '../../../agent/access/access-rules.js';
import { createOpenSessions, type OpenSessions } from '../../../agent/access/open-sessions.js';
import { createRecentReads } from '../../../agent/access/recent-reads.js';
import type { CameraDrivers, CameraRead } from '../../../agent/lpr/camera.js';
import { type CameraClocks, createCameraClocks } from '../../../agent/lpr/presence/camera-clocks.js';
import { type CameraStates, createCameraStates } from '../../../agent/lpr/presence/camera-states.js';
import { createImages } from '../../../agent/lpr/pictures/images.js';
import { createSharpPictureMaker } from '../../../agent/lpr/pictures/sharp-picture-maker.js';
import { createPlateReads, type PlateReads, type PlateReadsDeps } from '../../../agent/lpr/reads/plate-reads.js';
import { createSeenReads, type SeenReads } from '../../../agent/lpr/reads/seen-reads.js';
import { createReadWatch, type ReadWatch } from '../../../agent/lpr/reads/read-watch.js';
import type { CommandOutcome, ProductCommand, ProductCommander } from '../../../agent/product/product-commander.js';
import {
  type BootState,
  type ImageEntry,
  type OutboxEntry,
  type OutcomeCommit,
  type ReadCommit,
  type RefinementCommit,
  StoreError,
} from '../../../agent/store/agent-store.js';
import type { CameraItem, ConfigSection, SessionItem, ZoneItem } from '../../../shared/gateway-config.js';
import type { EventId, ProductDeviceId, Uid } from '../../../shared/ids.js';
import { type Logger, silentLogger } from '../../../shared/logger.js';
import { OPENED } from '../product/product-item.js';
import type { OutboxEpoch } from '../../../shared/uplink.js';
import { FakeClock } from '../../world/fake-clock.js';

export const BARRIER = 'a4c138000001' as ProductDeviceId;
export const GATE = 'a4c138000002' as ProductDeviceId;
export const ZONE_ID = 5;
export const EPOCH = '0'.repeat(32) as OutboxEpoch;

export function uidOf(number: number): Uid {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}` as Uid;
}

export function camera(device_id: string, change: Partial<CameraItem> = {}): CameraItem {
  return {
    id: 11,
    device_id,
    name: device_id,
    driver: 'hikvision',
    address: 'http://192.0.2.21',
    username: '',
    password: '',
    push_key: 'right-key',
    push_without_key: false,
    timezone: 'Europe/Zagreb',
    zone_id: ZONE_ID,
    lpr_position: 'in',
    plate_side: 'front',
    debounce_time: 15,
    direction_source: 'reported',
    min_confidence: 0,
    product_device_id: BARRIER,
    ...change,
  };
}

export interface WorldOptions {
  cameras?: CameraItem[];
  zone?: Partial<ZoneItem>;
  gateway?: Record<string, unknown>;
  /** Items by plate, also such as the gateway cannot understand. */
  plates?: Record<string, unknown>;
  sessions?: SessionItem[];
  boot?: Partial<BootState>;
  /** Places occupied by sensors of this gateway, in the cameras' zone, by parking gateway. */
  sensors?: Record<number, number>;
  logger?: Logger;
  /** Those that cameras are asked for their clock by. */
  drivers?: CameraDrivers;
}

const CAMERAS = [
  camera('cam-in'),
  camera('cam-in-2', { id: 12 }),
  camera('cam-out', { id: 13, lpr_position: 'out', product_device_id: GATE }),
  camera('cam-free', { id: 14, lpr_position: 'in/out', product_device_id: null }),
];

function byKey<Item>(items: Item[], key: (item: Item) => string): Record<string, Item> {
  return Object.fromEntries(items.map((item) => [key(item), item]));
}

function configOf(options: WorldOptions): BootState['config'] {
  const product = { zone_id: ZONE_ID, pairing: null };
  const sections: Record<ConfigSection, Record<string, unknown>> = {
    gateway: {
      self: {
        gateway_id: 1,
        name: 'Entrance Pi',
        lot_id: 2,
        lot_name: 'North',
        timezone: 'Europe/Zagreb',
        offline_exit: 'open',
        autonomy_days: 31,
        other_gateways_count: 0,
        ...options.gateway,
      },
    },
    products: {
      [BARRIER]: { id: 21, device_id: BARRIER, name: 'Entry barrier', type: 'barrier', ...product },
      [GATE]: { id: 22, device_id: GATE, name: 'Exit gate', type: 'gate', ...product },
    },
    cameras: byKey(options.cameras ?? CAMERAS, (item) => item.device_id),
    zones: {
      [ZONE_ID]: {
        id: ZONE_ID,
        name: 'Level 0',
        spot_count: 0,
        has_tariff: true,
        occupancy_max_hours: 72,
        sensor_counts: [],
        ...options.zone,
      },
    },
    plates: options.plates ?? {},
    sensors: {},
    handled: {},
    displays: {},
    sessions: byKey(options.sessions ?? [], (item) => item.uid),
  };
  return Object.entries(sections).map(([section, items]) => ({
    section: section as ConfigSection,
    revision: `revision of ${section}`,
    items,
  }));
}

/** Keeps what it is given, or refuses, or waits until it is let. */
export class TestStore {
  readonly reads: ReadCommit[] = [];
  readonly refinements: RefinementCommit[] = [];
  readonly outcomes: OutcomeCommit[] = [];
  readonly entries: OutboxEntry[] = [];
  readonly images: ImageEntry[] = [];
  refuses = false;
  private held: Promise<void> | null = null;
  private letGo: () => void = () => {};
  private seq = 0;

  /** `calls`: what was asked of it and of the products, in order. */
  constructor(
    readonly boot: BootState,
    readonly calls: string[],
  ) {}

  /** From now on nothing is committed until `release`. */
  hold(): void {
    this.held = new Promise((resolve) => {
      this.letGo = resolve;
    });
  }

  release(): void {
    this.held = null;
    this.letGo();
  }

  private async insert<Item>(call: string, items: Item[], item: Item): Promise<number> {
    this.calls.push(call);
    const { refuses } = this;
    await this.held;
    if (refuses) throw new StoreError('full', 'the disk is full');
    items.push(item);
    this.seq += 1;
    return this.seq;
  }

  asStore(): PlateReadsDeps['store'] & Parameters<typeof createCameraClocks>[0]['store'] {
    return {
      boot: this.boot,
      recordRead: (read) => this.insert('recordRead', this.reads, read),
      recordRefinement: (refinement) => this.insert('recordRefinement', this.refinements, refinement),
      recordOutcome: (outcome) => this.insert('recordOutcome', this.outcomes, outcome),
      append: (entry) => this.insert('append', this.entries, entry),
      appendImage: (image) => this.insert('appendImage', this.images, image),
      saveCameraClock: async (device_id, kept) => {
        const others = this.boot.camera_clocks.filter((each) => each.device_id !== device_id);
        this.boot.camera_clocks = kept === null ? others : [...others, { device_id, ...kept }];
      },
    };
  }
}

export const SUCCEEDED: CommandOutcome = { outcome: 'succeeded', block: OPENED };
export const JAMMED: CommandOutcome = { outcome: 'failed', type: 5, authenticated: true, block: OPENED };

/** Answers each command when the test says so. */
export class TestCommander implements ProductCommander {
  readonly commands: ProductCommand[] = [];
  private readonly answers: ((outcome: CommandOutcome) => void)[] = [];
  /** When set, commands are answered with it at once. */
  answer: CommandOutcome | null = SUCCEEDED;

  constructor(private readonly calls: string[]) {}

  execute(command: ProductCommand, signal?: AbortSignal): Promise<CommandOutcome> {
    this.calls.push(command.command.name);
    this.commands.push(command);
    if (this.answer !== null) return Promise.resolve(this.answer);
    return new Promise((resolve) => {
      this.answers.push(resolve);
      signal?.addEventListener('abort', () => resolve({ outcome: 'failed', type: 2, authenticated: false }));
    });
  }

  /** Answers the oldest command that waits. */
  reply(outcome: CommandOutcome): void {
    const answer = this.answers.shift();
    if (answer === undefined) throw new Error('no command waits');
    answer(outcome);
  }
}

export interface PlateWorld {
  clock: FakeClock;
  store: TestStore;
  commander: TestCommander;
  rules: AccessRules;
  sessions: OpenSessions;
  states: CameraStates;
  clocks: CameraClocks;
  reads: PlateReads;
  watch: ReadWatch;
  seen: SeenReads;
  /** What the uplink was told, lane by lane. */
  committed: number[];
  link: { isOnline: boolean; clockOk: boolean; heldClosed: Set<ProductDeviceId>; letOut: Map<Uid, number> };
  /** A read as a driver makes it: now, towards the camera, with a new vendor id. */
  read(plate: string, change?: Partial<CameraRead>): CameraRead;
}

export function plateWorld(options: WorldOptions = {}): PlateWorld {
  const clock = new FakeClock();
  const { logger = silentLogger } = options;
  const boot: BootState = {
    boot_id: uidOf(1),
    config: configOf(options),
    sessions: [],
    recent_reads: [],
    intents: [],
    recorded: [],
    camera_clocks: [],
    latest: [],
    clock_floor_ms: 0,
    confirmed_ms: 0,
    ...options.boot,
  };
  const calls: string[] = [];
  const store = new TestStore(boot, calls);
  const commander = new TestCommander(calls);
  const sessions = createOpenSessions();
  sessions.setOutboxEpoch(EPOCH, 0);
  const rules = createAccessRules({ boot, sessions, logger });
  const states = createCameraStates(clock);
  const committed: number[] = [];
  const link: PlateWorld['link'] = { isOnline: true, clockOk: true, heldClosed: new Set(), letOut: new Map() };
  const watch = createReadWatch(clock);
  const seen = createSeenReads({ clock, isClockKnown: () => link.clockOk, isHandled: (uid) => link.letOut.has(uid) });
  const clocks = createCameraClocks({
    store: store.asStore(),
    drivers: options.drivers ?? new Map(),
    clock,
    clockOk: () => link.clockOk,
    logger,
  });
  let made = 0x1000;
  let vendorIds = 0;
  const unknown = new Set(boot.intents.map(({ reading_uid }) => reading_uid));
  const reads = createPlateReads({
    store: store.asStore(),
    commander,
    rules,
    sessions,
    recent: createRecentReads(boot.recent_reads, unknown, (uid) => link.letOut.get(uid) ?? null),
    images: createImages({ maker: createSharpPictureMaker(), logger }),
    states,
    clocks,
    clock,
    stamp: (uid) => ({ uid, mono_ms: clock.monotonic(), wall_ms: clock.now(), clock_ok: link.clockOk }),
    sensors: {
      occupied: (parkingGatewayId) => options.sensors?.[parkingGatewayId] ?? null,
      hasHeard: (parkingGatewayId) => options.sensors?.[parkingGatewayId] !== undefined,
    },
    isOnline: () => link.isOnline,
    isHeldClosed: (deviceId) => link.heldClosed.has(deviceId),
    newUid: () => uidOf(made++),
    newEventId: () => (made++).toString(16).padStart(8, '0') as EventId,
    logger,
    onCommitted: (lane) => committed.push(lane),
    onSeen(read) {
      watch.note(read);
      seen.note(read);
    },
    onRefined: seen.noteRefined,
    onPicture: seen.notePicture,
    fetchPicture: async () => null,
    tracer: null,
  });
  return {
    clock,
    store,
    commander,
    rules,
    sessions,
    states,
    clocks,
    reads,
    watch,
    seen,
    committed,
    link,
    read: (plate, change) => ({
      vendor_event_id: `vendor-${vendorIds++}`,
      raw_plate: plate,
      confidence: 0.9,
      movement: 'towards',
      camera_time: { epoch_ms: clock.now(), offset_min: 60 },
      retransmission: false,
      type: 'car',
      make: null,
      color: null,
      model: null,
      country_code: null,
      pictures: { full: null, plate: null, plate_box: null },
      ...change,
    }),
  };
}
