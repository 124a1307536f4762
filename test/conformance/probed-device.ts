/** The device that a driver probes: it requires the account if its vendor's cameras have one. */
export interface ProbedDevice {
  address: string;
  /** How often a password was tried on it. */
  passwordsTried(): number;
  close(): Promise<void>;
}
