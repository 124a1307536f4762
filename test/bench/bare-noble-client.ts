/** The reference of what commands take: noble as its documentation uses it, in a process of its own. */
import { fork } from 'node:child_process';

export interface BareNoble {
  /** One cycle with the product at this position, in milliseconds; its disconnection is not counted. */
  cycle(index: number): Promise<number>;
  end(): void;
}

/** Resolves when it has heard every product. */
export function startBareNoble(of: {
  radioPath: string;
  deviceIds: readonly string[];
  /** The same for all, as hex. */
  masterKey: string;
}): Promise<BareNoble> {
  const args = [of.radioPath, of.deviceIds.join(','), of.masterKey];
  const child = fork(new URL('./bare-noble.js', import.meta.url), args);
  let onCycle: (message: { tookMs?: number; error?: string }) => void = () => {};
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`bare-noble ended with ${code}`)));
    child.on('message', (message: { ready?: true; tookMs?: number; error?: string }) => {
      if (message.ready === undefined) return onCycle(message);
      resolve({
        cycle: (index) =>
          new Promise((done, failed) => {
            onCycle = ({ tookMs, error }) => (tookMs === undefined ? failed(new Error(error)) : done(tookMs));
            child.send(index);
          }),
        end: () => child.disconnect(),
      });
    });
  });
}
