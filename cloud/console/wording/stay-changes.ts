/** The calls by which a person corrects stays that were counted wrongly. */

export interface StayFacts {
  id: number;
  zone_id: number;
  created_at: string;
  plate: string;
}

/** One call; those of a change are made in their order. */
export type StayCall =
  | { kind: 'close'; id: number; body: { ended_at?: string; exit_license_plate?: string } }
  | { kind: 'rename'; id: number; body: { entry_license_plate: string } }
  | { kind: 'begin'; body: { zone_id: number; entry_license_plate: string; created_at: string } };

/** Ends the stay at that time, and begins another one in the same zone. @param at ISO 8601 */
export function splitCalls(stay: StayFacts, { at, plate }: { at: string; plate: string }): StayCall[] {
  return [
    { kind: 'close', id: stay.id, body: { ended_at: at } },
    { kind: 'begin', body: { zone_id: stay.zone_id, entry_license_plate: plate, created_at: at } },
  ];
}

/**
 * The stay that began first goes on under the right plate. The other one ends when it began: it lasted no time, and costs nothing. It ends
 * first, because no two open stays of a lot have the same plate.
 */
export function mergeCalls([a, b]: readonly [StayFacts, StayFacts], plate: string): StayCall[] {
  const [first, second] = Date.parse(a.created_at) <= Date.parse(b.created_at) ? [a, b] : [b, a];
  return [
    { kind: 'close', id: second.id, body: { ended_at: second.created_at } },
    ...(first.plate === plate
      ? []
      : [{ kind: 'rename', id: first.id, body: { entry_license_plate: plate } } satisfies StayCall]),
  ];
}

/** Whether the text of `<input type=datetime-local>`, as a moment, lies in the stay. @param now milliseconds since 1970 */
export function isWithinStay(at: number, stay: Pick<StayFacts, 'created_at'>, now: number): boolean {
  return at >= Date.parse(stay.created_at) && at <= now;
}

interface ReadingFacts {
  id: number;
  plate: string;
  direction: string;
  access_decision_reason: string | null;
  handled_at: string | null;
  created_at: string;
}

/** Vehicles that stood at an exit, that nobody knew and nobody dealt with: the newest time of each. @param since milliseconds since 1970 */
export function lostExitsOf<Reading extends ReadingFacts>(readings: readonly Reading[], since: number): Reading[] {
  const seen = new Set<string>();
  return readings
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
    .filter(({ plate, direction, access_decision_reason, handled_at, created_at }) => {
      if (direction !== 'out' || Date.parse(created_at) < since || seen.has(plate)) return false;
      seen.add(plate);
      return access_decision_reason === 'no_active_session' && handled_at === null;
    });
}
