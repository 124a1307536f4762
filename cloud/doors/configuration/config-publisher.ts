/** Keeps connected gateways' configuration up to date: a snapshot when revisions differ at hello, deltas afterwards. */
import { every, type Clock, type Timer } from '../../../shared/clock.js';
import { CONFIG_SECTION_NAMES, type ConfigMessage, type ConfigSection } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Logger } from '../../../shared/logger.js';
import type { Hello, OutboxEpoch } from '../../../shared/uplink.js';
import type { Broker } from '../../equipment/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import { claimedGatewaysOf, findConfigGateway } from './config-queries.js';
import { createConfigAssembler, type AssembleTarget, type ConfigAssembler } from './config-assembler.js';
import type { ConfigBuilder } from './config-builder.js';
import { messagesForChange, messagesForHello, type ConnectedGateway } from './connected-gateway.js';
import { DAY_MS } from '../../../shared/durations.js';

export interface ConfigPublisher {
  /** Brings a gateway up to date after its hello. Call it after the welcome was sent. */
  hello(gateway: { id: number; uuid: GatewayUuid }, hello: Pick<Hello, 'epoch' | 'config'>): Promise<void>;
  /** Notes the outbox epoch in which the gateway numbers its records now: `applied` in its messages belongs to this epoch. */
  noteOutboxEpoch(uuid: GatewayUuid, outboxEpoch: OutboxEpoch): void;
  /** Forgets a gateway that is gone, until it says hello. */
  forget(uuid: GatewayUuid): void;
  /** Marks sections of a lot as stale. The change reaches the gateways within COALESCE_MS and the time to build. */
  markStale: ConfigChanged;
  /** Marks the sections of all lots as stale, because another process changed the database. */
  markAllStale(sections?: readonly ConfigSection[]): void;
  /** Builds all sections as snapshots, for a gateway that is being claimed. */
  snapshots(gateway_id: number): Promise<ConfigMessage[]>;
  close(): Promise<void>;
}

export interface ConfigPublisherDeps {
  store: CloudStore;
  broker: Pick<Broker, 'publish'>;
  builder: ConfigBuilder;
  clock: Clock;
  logger: Logger;
  /** Called for a connected gateway that was found to be deleted. */
  onDeleted: (gateway: { id: number; uuid: GatewayUuid }) => void;
}

const COALESCE_MS = 100;
const RETRY_MS = 1_000;
/** Credentials are new every day. The day is checked often enough that they are sent soon after midnight (UTC). */
const DAY_CHECK_MS = 5 * 60_000;

export function createConfigPublisher(deps: ConfigPublisherDeps): ConfigPublisher {
  const { store, clock, logger } = deps;
  const assembler = createConfigAssembler(deps);
  const connected = new Map<GatewayUuid, ConnectedGateway>();
  const updater = createUpdater(deps, { assembler, connected });
  const marks = createMarks(deps, (lot_id, sections) => updater.updateLot(lot_id, sections));
  let day = Math.floor(clock.now() / DAY_MS);

  const lotsConnected = () => new Set([...connected.values()].map(({ lot_id }) => lot_id));

  function markAll(sections: readonly ConfigSection[]): void {
    for (const lot_id of lotsConnected()) marks.add(lot_id, sections, COALESCE_MS);
  }

  const dayTimer = every({
    clock,
    periodMs: DAY_CHECK_MS,
    work() {
      const today = Math.floor(clock.now() / DAY_MS);
      // Sessions that a look-alike ended, and vehicles that were dealt with, stay in the configuration for one day.
      if (today !== day) markAll(['products', 'sessions', 'handled']);
      day = today;
    },
    onError: (error) => logger.error({ err: error }, 'daily renewal of credentials failed'),
  });

  return {
    async hello(gateway, { epoch, config }) {
      const target: ConnectedGateway = {
        ...gateway,
        lot_id: null,
        outboxEpoch: epoch,
        sent: new Map(),
        appliedSeq: null,
      };
      connected.set(gateway.uuid, target);
      await updater.refresh(target, config).catch((error: unknown) => {
        logger.error(
          { err: error, uuid: gateway.uuid, gateway_id: gateway.id },
          'configuration of a gateway could not be built; it is tried again',
        );
        marks.add(target.lot_id, CONFIG_SECTION_NAMES, RETRY_MS);
      });
    },
    noteOutboxEpoch(uuid, outboxEpoch) {
      const target = connected.get(uuid);
      if (target !== undefined) target.outboxEpoch = outboxEpoch;
    },
    forget(uuid) {
      const lot_id = connected.get(uuid)?.lot_id;
      connected.delete(uuid);
      if (lot_id !== undefined && !lotsConnected().has(lot_id)) assembler.forgetLot(lot_id);
    },
    markStale: ({ lot_id }, sections = CONFIG_SECTION_NAMES) => marks.add(lot_id, sections, COALESCE_MS),
    markAllStale: (sections = CONFIG_SECTION_NAMES) => markAll(sections),
    snapshots: (gateway_id) => store.reader.transaction().execute((tx) => assembler.snapshots(tx, gateway_id)),
    async close() {
      dayTimer.cancel();
      marks.close();
      connected.clear();
      await updater.idle();
    },
  };
}

/** Collects for a moment which sections of which lots are stale, and passes them on lot by lot, again after a failure. */
function createMarks(
  { clock, logger }: ConfigPublisherDeps,
  update: (lot_id: number | null, sections: ReadonlySet<ConfigSection>) => Promise<void>,
) {
  const stale = new Map<number | null, Set<ConfigSection>>();
  let timer: Timer | undefined;
  let isClosed = false;

  function add(lot_id: number | null, sections: Iterable<ConfigSection>, delayMs: number): void {
    const marked = stale.get(lot_id) ?? new Set<ConfigSection>();
    stale.set(lot_id, marked);
    for (const section of sections) marked.add(section);
    if (!isClosed) timer ??= clock.setTimer(delayMs, flush);
  }

  function flush(): void {
    timer = undefined;
    for (const [lot_id, sections] of stale) {
      stale.delete(lot_id);
      update(lot_id, sections).catch((error: unknown) => {
        logger.error({ err: error, lot_id }, 'configuration of a lot could not be built; it is tried again');
        add(lot_id, sections, RETRY_MS);
      });
    }
  }

  return {
    add,
    close(): void {
      isClosed = true;
      timer?.cancel();
    },
  };
}

/** Builds what gateways have to be sent, and sends it. */
function createUpdater(
  deps: ConfigPublisherDeps,
  parts: { assembler: ConfigAssembler; connected: Map<GatewayUuid, ConnectedGateway> },
) {
  const { store, onDeleted } = deps;
  const { assembler, connected } = parts;
  /** A lot is built and sent once at a time, so that its messages leave in the order in which the database was read. */
  const queue = createMutex<number | null>();

  async function updateLot(lot_id: number | null, wanted: ReadonlySet<ConfigSection>): Promise<void> {
    const moved: ConnectedGateway[] = [];
    const deleted: ConnectedGateway[] = [];
    await queue.run(lot_id, async () => {
      const built = await store.reader.transaction().execute(async (tx) => {
        const targets: AssembleTarget[] = [];
        for (const target of await connectedOf(tx, connected, lot_id)) {
          const gateway = await findConfigGateway(tx, target.id);
          if (gateway === null) deleted.push(target);
          else if (gateway.lot_id !== target.lot_id) moved.push(target);
          else targets.push({ target, gateway });
        }
        return assembler.assemble(tx, { lot_id, targets, wanted });
      });
      for (const [target, sections] of built) sendConfig(deps, target, messagesForChange(target, sections));
      if (built.size === 0) assembler.forgetLot(lot_id);
    });
    for (const target of deleted) {
      const { id, uuid } = target;
      // The device may have been claimed anew and have said hello since.
      if (connected.get(uuid) !== target) continue;
      connected.delete(uuid);
      onDeleted({ id, uuid });
    }
    await Promise.all(moved.map((target) => refresh(target)));
  }

  /** Sends what is missing to a gateway that said hello and holds some revisions, or that is in another lot now. */
  async function refresh(target: ConnectedGateway, held?: Hello['config']): Promise<void> {
    const wanted = new Set(CONFIG_SECTION_NAMES);
    const row = await findConfigGateway(store.reader, target.id);
    if (row === null) return;
    const { lot_id } = row;
    target.lot_id = lot_id;
    const isDone = await queue.run(lot_id, async () => {
      const built = await store.reader.transaction().execute(async (tx) => {
        const gateway = await findConfigGateway(tx, target.id);
        if (gateway?.lot_id !== lot_id) return null;
        return assembler.assemble(tx, { lot_id, targets: [{ target, gateway }], wanted });
      });
      const sections = built?.get(target);
      if (sections === undefined) return false;
      // A newer hello of the same gateway has its own turn.
      if (connected.get(target.uuid) !== target) return true;
      sendConfig(
        deps,
        target,
        held === undefined ? messagesForChange(target, sections) : messagesForHello(target, sections, held),
      );
      return true;
    });
    // The gateway was moved or removed since it was looked up.
    if (!isDone) await refresh(target, held);
  }

  return { updateLot, refresh, idle: () => queue.idle() };
}

/** Does not wait, because a slow gateway must not hold up its lot. The broker limits what waits, and keeps the order. */
function sendConfig(
  { broker, logger }: Pick<ConfigPublisherDeps, 'broker' | 'logger'>,
  { uuid }: ConnectedGateway,
  messages: readonly string[],
): void {
  for (const text of messages) {
    broker.publish(uuid, 'config', text).catch((error: unknown) => {
      logger.warn({ err: error, uuid }, 'configuration could not be sent');
    });
  }
}

/** Lists the connected gateways that are in the lot, or were in it when something was last sent to them. */
async function connectedOf(
  db: Db,
  connected: ReadonlyMap<GatewayUuid, ConnectedGateway>,
  lot_id: number | null,
): Promise<ConnectedGateway[]> {
  if (connected.size === 0) return [];
  const ids = new Set((await claimedGatewaysOf(db, lot_id)).map(({ id }) => id));
  return [...connected.values()].filter((each) => each.lot_id === lot_id || ids.has(each.id));
}
