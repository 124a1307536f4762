/** The service for programs that build on it, in browsers, Node and whatever has the interfaces of the web: README.md shows it. */
import { wakefulClock } from '../system-clock.js';
import { createRealtimeClient, type RealtimeClient, type RealtimeOptions } from './realtime-client.js';
import type { RealtimeWebSocketConstructor } from './realtime-web-socket.js';
import { awaitCommand, type AwaitedCommand, type CommandOptions } from './await-command.js';
import type { DataOf, ItemOf, ListPath, Method, OptionsOf, PathOf, Rest } from './operation-types.js';
import { isObject } from './parking-error.js';
import { type Answer, type AnyCall, createTransport, type TransportOptions } from './transport.js';

export interface ClientOptions {
  /** `https://HOST`, or what stands before `/v2` there. */
  baseUrl: string;
  /** A user token or an API token; left out for what needs none. */
  token?: string;
  /** The one of the runtime when left out. */
  fetch?: typeof fetch;
  /** The one of the runtime when left out. Node 20 has none: give it that of the package `ws`. */
  WebSocket?: RealtimeWebSocketConstructor;
  /** How often a request is tried; 5 when left out. */
  triesMax?: number;
  /** For tests: time, and a number in [0, 1). */
  clock?: TransportOptions['clock'];
  random?: () => number;
}

type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...rest: Rest<OptionsOf<M, Path>>
) => Promise<DataOf<M, Path>>;

/** Every call throws a `ParkingError` when it is refused, or when nobody answered at any try. */
export interface ParkingClient {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** As the others, with the ETag, the warnings and the `meta` of the answer. */
  request<M extends Method, Path extends PathOf<M>>(
    method: M,
    path: Path,
    ...rest: Rest<OptionsOf<M, Path>>
  ): Promise<Omit<Answer, 'data'> & { data: DataOf<M, Path> }>;
  /** Every item of a list, page after page. With the sort `id:asc` each comes once, whatever is added or deleted meanwhile. */
  list<Path extends ListPath>(path: Path, ...rest: Rest<OptionsOf<'get', Path>>): AsyncIterable<ItemOf<Path>>;
  /** Connects, and stays connected until it is closed. */
  realtime(options: RealtimeOptions): RealtimeClient;
  /**
   * Gives a product a command and waits for its end, which the first of an event and a poll tells.
   * Throws a `CommandError` when the command failed or has not ended in time.
   */
  openAndWait(productId: number, options?: CommandOptions): Promise<AwaitedCommand>;
}

const TRIES_MAX = 5;
const PAGE_SIZE = 100;
const BY_ID = 'id:asc';

/** Throws a TypeError when `baseUrl` is no URL. */
export function createClient(options: ClientOptions): ParkingClient {
  const { baseUrl, token, clock = wakefulClock, random = randomNumber, triesMax = TRIES_MAX } = options;
  checkAddress(baseUrl);
  const send = options.fetch ?? fetch.bind(globalThis);
  const transport = createTransport({ baseUrl, token, send, clock, random, triesMax });
  const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: RealtimeWebSocketConstructor }).WebSocket;

  const realtime = (wanted: RealtimeOptions) => {
    if (WebSocket === undefined) throw new TypeError('This runtime has no WebSocket: give createClient one');
    if (token === undefined) throw new TypeError('A realtime connection needs a token: give createClient one');
    const url = `${baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/v2/realtime`;
    return createRealtimeClient({ ...wanted, url, token, WebSocket, clock, random });
  };
  const call = (method: Method) => async (path: string, given?: AnyCall) => (await transport(method, path, given)).data;
  const untyped = {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    request: transport,
    list: (path: string, given: AnyCall = {}) =>
      (given.query?.sort === BY_ID ? itemsById : itemsByPage)((page) => transport('get', path, page), given),
    realtime,
    openAndWait: (productId: number, wanted: CommandOptions = {}) =>
      awaitCommand({ transport, clock, ...(WebSocket === undefined ? {} : { realtime }) }, productId, wanted),
  };
  // The service answers as its document says: its own tests hold every answer against that.
  return untyped as ParkingClient;
}

/** Said at once: a request would only say, after several tries, that nobody answered. */
function checkAddress(baseUrl: string): void {
  try {
    if (/^https?:$/.test(new URL(baseUrl).protocol)) return;
  } catch {
    // It is told below.
  }
  throw new TypeError(`baseUrl is to be like https://HOST, and is ${JSON.stringify(baseUrl)}`);
}

type FetchPage = (call: AnyCall) => Promise<Answer>;

/** Each page begins after the last id of the one before, so that nothing moves, whatever is added or deleted meanwhile. */
async function* itemsById(fetchPage: FetchPage, call: AnyCall): AsyncGenerator<unknown> {
  const filters = [call.query?.filter ?? []].flat();
  for (let beyond: string[] = []; ; ) {
    const query = { size: PAGE_SIZE, ...call.query, filter: [...filters, ...beyond] };
    const { data, meta } = await fetchPage({ ...call, query });
    const items: unknown[] = Array.isArray(data) ? data : [];
    yield* items;
    const last = items.at(-1);
    if (!isObject(last) || !isObject(meta) || meta.next_page_url === null) return;
    beyond = [`id:gt:${String(last.id)}`];
  }
}

async function* itemsByPage(fetchPage: FetchPage, call: AnyCall): AsyncGenerator<unknown> {
  let known = new Set<unknown>();
  for (let page = 1; ; page += 1) {
    const { data, meta } = await fetchPage({ ...call, query: { size: PAGE_SIZE, ...call.query, page } });
    const items: unknown[] = Array.isArray(data) ? data : [];
    // Items that are added while the list is read move others to the next page.
    yield* items.filter((item) => !isObject(item) || item.id === undefined || !known.has(item.id));
    known = new Set(items.map((item) => (isObject(item) ? item.id : item)));
    if (!isObject(meta) || meta.next_page_url === null) return;
  }
}

/** From 32 random bits. */
const randomNumber = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
