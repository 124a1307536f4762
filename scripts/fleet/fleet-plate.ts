/** The plate of a record, which holds the record's number and the time of its write: no other data is needed to check it. */
export interface FleetRecord {
  /** The digits that name one run. */
  run: string;
  /** Which gateway, from 0. */
  gateway: number;
  /** Which record of the gateway, from 0. */
  number: number;
  /** Wall time. */
  written_ms: number;
}

export const fleetPlate = ({ run, gateway, number, written_ms }: FleetRecord): string =>
  `FLEET-${run}-${gateway}-${number}-${written_ms}`;

/** @returns null for a plate of somebody else, or of another run */
export function readFleetPlate(plate: string, run: string): FleetRecord | null {
  const [, ofRun, gateway, number, written_ms] = /^FLEET-(\d+)-(\d+)-(\d+)-(\d+)$/.exec(plate) ?? [];
  if (ofRun !== run) return null;
  return { run, gateway: Number(gateway), number: Number(number), written_ms: Number(written_ms) };
}
