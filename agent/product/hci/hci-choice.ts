import type { HciTransport } from './hci-transport.js';
import { openUnixHciTransport } from './unix-hci-transport.js';

/** The controller that the radio runs on, as data that can be passed to another process. */
export type HciChoice =
  /** The kernel's adapter hci-`index`; without an index the first adapter that is up. */
  | { kind: 'adapter'; index?: number }
  /** The hub of an emulated radio, which the gateway joins under its UUID as `name`. */
  | { kind: 'sim'; path: string; name: string };

/** A controller in this process; it is opened each time the radio is set up. */
export interface HciInProcess {
  kind: 'transport';
  open: () => HciTransport;
}

/** Opens the controller; undefined for the kernel's adapter, which noble opens itself. Rejects when an emulated radio does not answer. */
export async function openHci(hci: HciChoice | HciInProcess): Promise<HciTransport | undefined> {
  switch (hci.kind) {
    case 'adapter':
      return undefined;
    case 'sim':
      return openUnixHciTransport({ path: hci.path, identity: { role: 'central', name: hci.name } });
    case 'transport':
      return hci.open();
  }
}
