/** The brokers at which devices publish: network servers of LoRa sensors, and brokers of cameras. */
import { createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';
import { errorText } from '../../../shared/error-text.js';

const PORT_DEFAULT = 1883;

export interface BrokerAccount {
  username: string;
  password: string;
}

/** Brokers by their addresses: several devices may publish at one. */
export interface SimBrokers {
  /**
   * The broker at an address. Whoever connects to it needs the account of one of its devices, unless one of them has none.
   * @param account left out or null: that of the address, or none
   * @throws when the address is in use
   */
  at(url: URL, account?: BrokerAccount | null): Promise<Aedes>;
  close(): Promise<void>;
}

interface RunningBroker {
  broker: Aedes;
  server: Server;
  accounts: BrokerAccount[];
  isOpen: boolean;
}

export function createSimBrokers(): SimBrokers {
  const running = new Map<string, RunningBroker>();

  async function start(host: string, port: number): Promise<RunningBroker> {
    const state = { accounts: [] as BrokerAccount[], isOpen: false };
    const broker = await Aedes.createBroker({
      authenticate(_client, username = '', password, done) {
        const given = { username, password: Buffer.from(password ?? '').toString() };
        done(null, state.isOpen || state.accounts.some((each) => isSame(each, given)));
      },
    });
    const server = createServer(broker.handle);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(new Error(`cannot listen on ${host}:${port}: ${errorText(cause)}`, { cause })),
      );
      server.listen(port, host, resolve);
    });
    return Object.assign(state, { broker, server });
  }

  return {
    async at(url, account = null) {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = url.port === '' ? PORT_DEFAULT : Number(url.port);
      const key = `${host} ${port}`;
      const found = running.get(key) ?? (await start(host, port));
      running.set(key, found);
      const own = account ?? accountIn(url);
      if (own === null) found.isOpen = true;
      else if (!found.accounts.some((each) => isSame(each, own))) found.accounts.push(own);
      return found.broker;
    },
    async close() {
      for (const { broker, server } of running.values()) {
        await new Promise<void>((resolve) => broker.close(() => resolve()));
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
      running.clear();
    },
  };
}

const accountIn = ({ username, password }: URL): BrokerAccount | null =>
  username === '' ? null : { username: decodeURIComponent(username), password: decodeURIComponent(password) };

const isSame = (one: BrokerAccount, other: BrokerAccount): boolean =>
  one.username === other.username && one.password === other.password;
