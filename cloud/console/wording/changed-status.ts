/**
 * The status that an event gives a device; null: it tells nothing new. Events know `online` and `offline` alone: a camera that is there
 * and does not work as it should keeps its condition.
 * @param known as the record has it
 */
export const changedStatus = <Reported extends 'online' | 'offline'>(
  known: string,
  reported: Reported,
): Reported | null => ((known === 'offline') === (reported === 'offline') ? null : reported);
