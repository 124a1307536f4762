/** The service's clock, as its answers tell it: the one of this browser may be wrong. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { leftToLet } from '../wording/waiting.js';

let aheadMs = 0;

/** @param date the header of an answer that has just come */
export function noteServerTime(date: string | null): void {
  const answeredMs = Date.parse(date ?? '');
  if (!Number.isNaN(answeredMs)) aheadMs = answeredMs - Date.now();
}

/** Milliseconds since 1970. */
export const serverNow = (): number => Date.now() + aheadMs;

/** Whether a vehicle that came then can be let through by its row; draws the part anew when it no longer can. */
export function useLive(iso: string): boolean {
  const drawn = useSignal(0);
  const isLive = leftToLet(iso, serverNow()) >= 0;
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setTimeout(() => (drawn.value += 1), leftToLet(iso, serverNow()) + 1);
    return () => clearTimeout(timer);
  }, [iso, isLive, drawn.value]);
  return isLive;
}
