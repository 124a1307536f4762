/** The reference of what commands take: noble as its documentation uses it, in a process of its own. */
import { startChild } from './harness.js';

export interface BareNoble {
  /** One cycle with the product at this position, in milliseconds; its disconnection is not counted. */
  cycle(index: number): Promise<number>;
  end(): Promise<void>;
}

/** Resolves when it has heard every product. @param of.masterKey the same for all, as hex */
export async function startBareNoble(of: {
  radioPath: string;
  deviceIds: readonly string[];
  masterKey: string;
}): Promise<BareNoble> {
  const child = await startChild('bare-noble.js', [of.radioPath, of.deviceIds.join(','), of.masterKey]);
  return { cycle: (index) => child.ask<number>(index), end: () => child.end() };
}
