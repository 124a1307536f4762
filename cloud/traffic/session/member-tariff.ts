/** Which tariff of a group prices a session: the plate has to be a member's when the session begins. Pure. */
import { spanHolds } from '../../../shared/span.js';
import type { Row } from '../../kernel/store/entry.js';

/** A tariff of a group that a plate is in. */
export interface MemberTariff extends Pick<Row<'members'>, 'plate_normalised' | 'valid_from'> {
  /** When the time ends, or the member was blocked; null: never. */
  ends_at: number | null;
  tariff_id: number;
  zone_id: number;
}

/** @param tariffs the first one that fits prices the session */
export const memberTariffOf = (
  tariffs: readonly MemberTariff[],
  session: { plate_normalised: string; zone_id: number; created_at: number },
): number | undefined =>
  tariffs.find(
    ({ zone_id, plate_normalised, valid_from, ends_at }) =>
      zone_id === session.zone_id &&
      plate_normalised === session.plate_normalised &&
      spanHolds(session.created_at, valid_from, ends_at),
  )?.tariff_id;
