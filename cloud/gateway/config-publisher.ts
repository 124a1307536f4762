/** Keeps connected gateways' configuration up to date: a snapshot when revisions differ at hello, deltas afterwards. */
import { every, type Clock, type Timer } from '../../shared/clock.js';
import { CONFIG_SECTION_NAMES, type ConfigMessage, type ConfigSection } from '../../shared/gateway-config.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { Epoch, Hello } from '../../shared/uplink.js';
import type { Broker } from '../broker/broker.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { claimedGatewaysOf, findConfigGateway, type ConfigGateway } from '../store/queries/gateway-config.js';
import { readCursor } from '../store/queries/ingest.js';
import { isLotSection, LOT_SECTIONS, type ConfigBuilder, type LotSection } from './config-builder.js';
import { deltaText, EMPTY_SECTION, nextSection, snapshotText, type SectionState } from './config-section.js';
import { createKeyedQueue } from './keyed-queue.js';
import { DAY_MS } from './product-pairing.js';

export interface ConfigPublisher {
  /** Brings a gateway up to date after its hello. To be called after the welcome was sent. */
  hello(gateway: { id: number; uuid: GatewayUuid }, hello: Pick<Hello, 'epoch' | 'config'>): Promise<void>;
  /** The gateway numbers its records anew: what `applied` tells is of this epoch. */
  noteEpoch(uuid: GatewayUuid, epoch: Epoch): void;
  /** The gateway is gone: nothing more is computed for it until it says hello. */
  forget(uuid: GatewayUuid): void;
  /**
   * To be called after a commit that changed what the sections of a lot are made of (lot_id null: gateways in no lot); a
   * gateway that moved needs its old and its new lot. Reaches the gateways within COALESCE_MS and the time to build.
   */
  markDirty(lot: { lot_id: number | null }, sections?: readonly ConfigSection[]): void;
  /** The same for all lots: another process changed the database. */
  markAllDirty(sections?: readonly ConfigSection[]): void;
  /** All sections as snapshots, for a gateway that is being claimed. */
  snapshots(gateway_id: number): Promise<ConfigMessage[]>;
  close(): Promise<void>;
}

export interface ConfigPublisherDeps {
  store: CloudStore;
  broker: Pick<Broker, 'publish'>;
  builder: ConfigBuilder;
  clock: Clock;
  logger: Logger;
}

const COALESCE_MS = 100;
const RETRY_MS = 1_000;
/** Credentials are new every day; looked at often enough that they are sent soon after midnight (UTC). */
const DAY_CHECK_MS = 5 * 60_000;

interface Connected {
  id: number;
  uuid: GatewayUuid;
  lot_id: number | null;
  epoch: Epoch;
  sent: Map<ConfigSection, SectionState>;
  /** The seq that the last `sessions` message told as applied. */
  appliedSeq: number | null;
}

/** What one read transaction found for one gateway. */
interface Built {
  connected: Connected;
  gateway: ConfigGateway;
  sections: Map<ConfigSection, SectionState>;
  applied: NonNullable<ConfigMessage['applied']>;
}

export function createConfigPublisher(deps: ConfigPublisherDeps): ConfigPublisher {
  const { store, clock, logger } = deps;
  const connected = new Map<GatewayUuid, Connected>();
  /** The last built state of what a lot's gateways share, so that they share its memory too. */
  const lots = new Map<number | null, Map<LotSection, SectionState>>();
  const dirty = new Map<number | null, Set<ConfigSection>>();
  /** One lot is computed and sent at a time, so that its messages leave in the order of what was read. */
  const queue = createKeyedQueue<number | null>();
  let flushTimer: Timer | undefined;
  let closed = false;
  let day = Math.floor(clock.now() / DAY_MS);

  const lotsConnected = () => new Set([...connected.values()].map(({ lot_id }) => lot_id));

  function mark(lot_id: number | null, sections: Iterable<ConfigSection>, delayMs: number): void {
    const marked = dirty.get(lot_id) ?? new Set<ConfigSection>();
    dirty.set(lot_id, marked);
    for (const section of sections) marked.add(section);
    if (!closed) flushTimer ??= clock.setTimer(delayMs, flush);
  }

  function flush(): void {
    flushTimer = undefined;
    for (const [lot_id, sections] of dirty) {
      dirty.delete(lot_id);
      queue
        .run(lot_id, () => updateLot(lot_id, sections))
        .catch((error: unknown) => {
          logger.error({ error, lot_id }, 'configuration of a lot could not be built; it is tried again');
          mark(lot_id, sections, RETRY_MS);
        });
    }
  }

  /** Builds lot sections once for all gateways of the lot, the others for each. */
  async function build(
    db: Db,
    targets: { connected: Connected; gateway: ConfigGateway }[],
    wanted: Set<ConfigSection>,
  ) {
    const now = clock.now();
    const lot_id = targets[0]?.gateway.lot_id ?? null;
    const shared = lots.get(lot_id) ?? new Map<LotSection, SectionState>();
    for (const section of LOT_SECTIONS) {
      if (!wanted.has(section)) continue;
      const items = await deps.builder.lotSection(db, section, { lot_id, now });
      shared.set(section, nextSection(shared.get(section) ?? EMPTY_SECTION, items));
    }
    const built: Built[] = [];
    for (const { connected: target, gateway } of targets) {
      const sections = new Map<ConfigSection, SectionState>();
      for (const section of wanted) {
        if (isLotSection(section)) sections.set(section, shared.get(section) ?? EMPTY_SECTION);
        else {
          const items = await deps.builder.gatewaySection(db, section, { gateway, now });
          sections.set(section, nextSection(target.sent.get(section) ?? EMPTY_SECTION, items));
        }
      }
      const seq = await readCursor(db, { gateway_id: gateway.id, epoch: target.epoch, lane: 0 });
      built.push({ connected: target, gateway, sections, applied: { epoch: target.epoch, seq } });
    }
    return { built, shared, lot_id };
  }

  async function updateLot(lot_id: number | null, sections: Set<ConfigSection>): Promise<void> {
    const moved: Connected[] = [];
    const found = await store.reader.transaction().execute(async (tx) => {
      const targets: { connected: Connected; gateway: ConfigGateway }[] = [];
      for (const target of await targetsOf(tx, lot_id)) {
        const gateway = await findConfigGateway(tx, target.id);
        if (gateway === null) connected.delete(target.uuid);
        else if (gateway.lot_id !== target.lot_id) moved.push(target);
        else targets.push({ connected: target, gateway });
      }
      return targets.length === 0 ? null : build(tx, targets, sections);
    });
    if (found === null) lots.delete(lot_id);
    else {
      lots.set(lot_id, found.shared);
      for (const each of found.built) sendDeltas(each);
    }
    for (const target of moved) {
      refresh(target).catch((error: unknown) => {
        logger.error({ error, uuid: target.uuid }, 'configuration of a gateway that moved could not be built');
        mark(lot_id, sections, RETRY_MS);
      });
    }
  }

  /** Connected gateways that are in the lot, or were when they were last told. */
  async function targetsOf(db: Db, lot_id: number | null): Promise<Connected[]> {
    const ids = new Set((await claimedGatewaysOf(db, lot_id)).map(({ id }) => id));
    return [...connected.values()].filter((each) => each.lot_id === lot_id || ids.has(each.id));
  }

  /** Everything anew, for a gateway that said hello or is in another lot now. Returns whether it still exists. */
  async function refresh(target: Connected, held?: Hello['config']): Promise<void> {
    const row = await findConfigGateway(store.reader, target.id);
    if (row === null) return;
    target.lot_id = row.lot_id;
    await queue.run(row.lot_id, async () => {
      const found = await store.reader.transaction().execute(async (tx) => {
        const gateway = await findConfigGateway(tx, target.id);
        return gateway === null ? null : build(tx, [{ connected: target, gateway }], new Set(CONFIG_SECTION_NAMES));
      });
      // A newer hello of the same gateway has its own turn.
      if (found === null || connected.get(target.uuid) !== target) return;
      target.lot_id = found.lot_id;
      lots.set(found.lot_id, found.shared);
      for (const each of found.built) {
        if (held === undefined) sendDeltas(each);
        else sendWhatDiffers(each, held);
      }
    });
  }

  function sendWhatDiffers({ connected: target, sections, applied }: Built, held: Hello['config']): void {
    for (const [section, state] of sections) {
      if (held[section] !== state.revision) send(target, snapshotText(section, state, applied));
      // The gateway may hold decisions of its own that are in this revision already.
      else if (section === 'sessions') send(target, deltaText(section, { from: state, to: state, applied }));
      target.sent.set(section, state);
    }
    target.appliedSeq = applied.seq;
  }

  function sendDeltas({ connected: target, sections, applied }: Built): void {
    for (const [section, to] of sections) {
      const from = target.sent.get(section);
      const isNewsOfApplied = section === 'sessions' && applied.seq !== target.appliedSeq;
      if (from === undefined) send(target, snapshotText(section, to, applied));
      else if (from.revision !== to.revision || isNewsOfApplied) {
        send(target, deltaText(section, { from, to, applied }));
      }
      target.sent.set(section, to);
      if (section === 'sessions') target.appliedSeq = applied.seq;
    }
  }

  /** Not waited for: a slow gateway must not hold up its lot. The broker bounds what waits, and keeps the order. */
  function send({ uuid }: Connected, text: string): void {
    deps.broker.publish(uuid, 'config', text).catch((error: unknown) => {
      logger.warn({ error, uuid }, 'configuration could not be sent');
    });
  }

  const dayTimer = every({
    clock,
    periodMs: DAY_CHECK_MS,
    work() {
      const today = Math.floor(clock.now() / DAY_MS);
      if (today === day) return;
      day = today;
      for (const lot_id of lotsConnected()) mark(lot_id, ['products', 'sessions'], COALESCE_MS);
    },
    onError: (error) => logger.error({ error }, 'daily renewal of credentials failed'),
  });

  return {
    async hello(gateway, hello) {
      const target: Connected = {
        ...gateway,
        lot_id: null,
        epoch: hello.epoch,
        sent: new Map(),
        appliedSeq: null,
      };
      connected.set(gateway.uuid, target);
      await refresh(target, hello.config);
    },
    noteEpoch(uuid, epoch) {
      const target = connected.get(uuid);
      if (target !== undefined) target.epoch = epoch;
    },
    forget(uuid) {
      const lot_id = connected.get(uuid)?.lot_id;
      connected.delete(uuid);
      if (lot_id !== undefined && !lotsConnected().has(lot_id)) lots.delete(lot_id);
    },
    markDirty: ({ lot_id }, sections = CONFIG_SECTION_NAMES) => mark(lot_id, sections, COALESCE_MS),
    markAllDirty(sections = CONFIG_SECTION_NAMES) {
      for (const lot_id of lotsConnected()) mark(lot_id, sections, COALESCE_MS);
    },
    async snapshots(gateway_id) {
      return store.reader.transaction().execute(async (tx) => {
        const gateway = await findConfigGateway(tx, gateway_id);
        if (gateway === null) throw new Error(`gateway ${gateway_id} is not known any more`);
        const messages: ConfigMessage[] = [];
        for (const section of CONFIG_SECTION_NAMES) {
          const now = clock.now();
          const items = isLotSection(section)
            ? await deps.builder.lotSection(tx, section, { lot_id: gateway.lot_id, now })
            : await deps.builder.gatewaySection(tx, section, { gateway, now });
          messages.push(JSON.parse(snapshotText(section, nextSection(EMPTY_SECTION, items), null)) as ConfigMessage);
        }
        return messages;
      });
    },
    async close() {
      closed = true;
      flushTimer?.cancel();
      dayTimer.cancel();
      connected.clear();
      await queue.idle();
    },
  };
}
