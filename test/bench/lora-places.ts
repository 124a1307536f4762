/** The places of the LoRa benchmark. Each sends so seldom that no sensor flutters. */
export const LORA_PLACES = 1_000;

/** The devEui of a place's sensor. */
export const loraSensor = (index: number): string => `647fda00${index.toString(16).padStart(8, '0')}`;
