/** The names of the rules of an access decision, in the order of the REST contract ("Access decisions"). */
export const ACCESS_RULES = [
  'plate',
  'direction',
  'retransmission',
  'debounce',
  'direction_mismatch',
  'whitelist',
  'tariff',
  'max_capacity',
  'session_exit',
  'offline_exit',
] as const;
export type AccessRule = (typeof ACCESS_RULES)[number];
