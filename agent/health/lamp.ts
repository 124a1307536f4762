/** Port: a lamp on the device that says how the gateway is. Drivers: an LED of the kernel; none. */

/**
 * `starting`; `waiting` for a claim; `online`; `offline`: it acts alone, without its cloud; `fault`: it cannot do all of its work; `ended`: it was
 * replaced or deleted, and is the gateway no more; `stopped`.
 */
export type LampSign = 'starting' | 'waiting' | 'online' | 'offline' | 'fault' | 'ended' | 'stopped';

export interface Lamp {
  /** Shows it from now on, also when the program does nothing more. Never throws. */
  show(sign: LampSign): void;
}
