import type { HciTransport } from './hci-transport.js';
import { openUnixHciTransport } from './unix-hci-transport.js';

/** Which controller the radio runs on, in what can be passed to another process. */
export type HciChoice =
  /** The kernel's adapter hci-`index`; without an index the first that is up. */
  | { kind: 'adapter'; index?: number }
  /** An emulated radio's hub, joined under `name`, the gateway's UUID. */
  | { kind: 'sim'; path: string; name: string };

/** A controller in this process, opened anew each time the radio is set up anew. */
export interface HciInProcess {
  kind: 'transport';
  open: () => HciTransport;
}

/** Undefined for the kernel's adapter, which noble opens itself. Rejects when an emulated radio does not answer. */
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
