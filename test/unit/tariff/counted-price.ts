import type { Stay, Tariff, TariffWindow } from '../../../cloud/traffic/tariff/price-stay.js';
import { localTime } from './local-time.js';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';

export type PlacedStay = Stay & { timezone: string };

/** Another way to the same price: one step after the other, local time as the time zone database tells it. */
export function countedPrice(priced: Tariff, stay: PlacedStay): number {
  if (stay.discount_minutes === -1) return 0;
  const seconds = Math.floor((stay.ended_ms - stay.began_ms) / 1_000);
  const end = stay.began_ms + seconds * 1_000 - (stay.discount_minutes ?? 0) * MINUTE_MS;
  if (end - stay.began_ms <= priced.free_minutes * MINUTE_MS) return 0;
  const days = new Map<number, number>();
  let at = stay.began_ms;
  while (at < end) {
    const counting = windowAt(priced, at, stay.timezone);
    const day = Math.floor((at - stay.began_ms) / DAY_MS);
    days.set(day, (days.get(day) ?? 0) + (counting?.price ?? priced.price_minor));
    at += (counting?.step_minutes ?? priced.step_minutes) * MINUTE_MS;
  }
  const atMost = priced.daily_max_minor ?? Number.POSITIVE_INFINITY;
  return [...days.values()].reduce((sum, price) => sum + Math.min(price, atMost), 0);
}

function windowAt(priced: Tariff, at: number, timezone: string): TariffWindow | undefined {
  if (priced.windows.length === 0) return undefined;
  const local = localTime(at, timezone);
  const time = `${String(local.hour).padStart(2, '0')}:${String(local.minute).padStart(2, '0')}`;
  const yesterday = local.dayOfWeek === 1 ? 7 : local.dayOfWeek - 1;
  return priced.windows.find(({ days, start, end }) => {
    if (start < end) return days.includes(local.dayOfWeek) && time >= start && time < end;
    return (days.includes(local.dayOfWeek) && time >= start) || (days.includes(yesterday) && time < end);
  });
}
